"""What a check tells as it goes on: `check(..., watch=...)` is called with each of these as it happens."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gymkernel_tool_check.definition import Moment
from gymkernel_tool_check.findings import Finding

__all__ = ["At", "CutShort", "Declared", "Died", "Event", "Failed", "Found", "Made", "Measured", "Planned", "RuleBegan"]
__all__ += ["RuleCrashed", "RuleDone", "Tried"]


@dataclass(frozen=True, slots=True)
class Found:
    """What the target is, as far as that is known before it is made: kind, name, distribution, version, class."""

    about: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Made:
    """What it turned out to be once it was made: class, file, line, its spaces, ...; empty where it cannot be made."""

    about: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Planned:
    """The rules of the run, each as `Rule.describe` has it."""

    rules: tuple[dict[str, str], ...]


@dataclass(frozen=True, slots=True)
class Declared:
    """The expected failures, with a reason each, that the classes of the target declare."""

    failures: dict[str, str]


@dataclass(frozen=True, slots=True)
class RuleBegan:
    """A rule is looked at."""

    code: str


@dataclass(frozen=True, slots=True)
class RuleDone:
    """What came of a rule.

    Attributes:
        code: the rule.
        reason: why it could not be checked; empty where it could.
        findings: its findings that count.
        seconds: how long it took, with its probe.
        expected: its findings that do not count.
        why: and why they do not.
        left_out: whether it could not be checked because the budget was spent.
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
    """A rule raised an error of its own (GK005)."""

    finding: Finding


@dataclass(frozen=True, slots=True)
class Died:
    """The target ended its process, or tried to, or hung (GK003)."""

    finding: Finding


@dataclass(frozen=True, slots=True)
class At:
    """A call into the target that takes a while."""

    moment: Moment


@dataclass(frozen=True, slots=True)
class Tried:
    """How often what was called: "the constructor", "reset", "step" and what else `subject.at` was told."""

    calls: dict[str, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """How fast it is, as far as that could be measured: steps_per_second, construct_seconds, reset_seconds."""

    figures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CutShort:
    """The recorded run, which most rules look at, was ended for want of time after so few steps."""

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
