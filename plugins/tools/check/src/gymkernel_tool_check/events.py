"""The events of a check; the function `watch` of `check` is called with each of them as it happens."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gymkernel_tool_check.definition import Moment
from gymkernel_tool_check.findings import Finding

__all__ = ["At", "CutShort", "Declared", "Died", "Event", "Failed", "Found", "Made", "Measured", "Planned", "RuleBegan"]
__all__ += ["RuleCrashed", "RuleDone", "Tried"]


@dataclass(frozen=True, slots=True)
class Found:
    """The target as far as it is known before its creation: kind, name, distribution, version and class."""

    about: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Made:
    """The created target: class, file, line, spaces, ...; empty if it cannot be created."""

    about: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Planned:
    """The rules of the check, each as returned by `Rule.describe`."""

    rules: tuple[dict[str, str], ...]


@dataclass(frozen=True, slots=True)
class Declared:
    """The expected failures that the classes of the target declare, with their reasons."""

    failures: dict[str, str]


@dataclass(frozen=True, slots=True)
class RuleBegan:
    """A rule starts."""

    code: str


@dataclass(frozen=True, slots=True)
class RuleDone:
    """The outcome of a rule.

    Attributes:
        code: the rule.
        reason: why the rule could not be checked; empty if it was checked.
        findings: the findings of the rule that count.
        seconds: the duration of the rule and its probe.
        expected: the findings of the rule that do not count.
        why: why these findings do not count.
        left_out: whether the rule could not be checked because the budget was spent.
    """

    code: str
    reason: str = ""
    findings: tuple[Finding, ...] = ()
    seconds: float = 0.0
    expected: tuple[Finding, ...] = ()
    why: str = ""
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class RuleCrashed:
    """A rule raised an exception of its own (GK005)."""

    finding: Finding


@dataclass(frozen=True, slots=True)
class Died:
    """The target ended its process, tried to end it, or hung (GK003)."""

    finding: Finding


@dataclass(frozen=True, slots=True)
class At:
    """A call into the target that takes long."""

    moment: Moment


@dataclass(frozen=True, slots=True)
class Tried:
    """The numbers of calls: of "the constructor", "reset", "step" and other phases that were passed to `subject.at`."""

    calls: dict[str, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """The measured speed, as far as known: steps_per_second, construct_seconds, reset_seconds."""

    figures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CutShort:
    """The recorded run, which most rules examine, ended early for lack of time, after this number of steps."""

    steps: int


@dataclass(frozen=True, slots=True)
class Failed:
    """There is nothing to check."""

    message: str


Event = (
    Found
    | Made
    | Planned
    | Declared
    | RuleBegan
    | RuleDone
    | RuleCrashed
    | Died
    | At
    | Tried
    | Measured
    | CutShort
    | Failed
)
