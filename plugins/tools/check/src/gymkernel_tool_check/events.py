"""The events of a check. The function `watch` receives each event as soon as it happens."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gymkernel_tool_check.definition import Moment
from gymkernel_tool_check.findings import Finding

__all__ = ["At", "CutShort", "Declared", "Died", "Event", "Failed", "Found", "Made", "Measured", "Planned", "RuleBegan"]
__all__ += ["RuleCrashed", "RuleDone", "Tried"]


@dataclass(frozen=True, slots=True)
class Found:
    """An event that describes the target before it is created: its kind, name, class, distribution and version."""

    about: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Made:
    """An event that describes the target after it has been created: its class, file, line, spaces and more.

    Attributes:
        about: the description of the target, or an empty dictionary if the target cannot be created.
    """

    about: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Planned:
    """An event that lists the rules that will run, each as returned by `Rule.describe`."""

    rules: tuple[dict[str, str], ...]


@dataclass(frozen=True, slots=True)
class Declared:
    """An event that lists the expected failures that the target's classes declare.

    Attributes:
        failures: the rules that are expected to fail, as a dictionary from codes to reasons.
        possible: the rules that fail with some seeds and pass with other seeds, as a dictionary from codes to reasons.
    """

    failures: dict[str, str]
    possible: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RuleBegan:
    """An event that is sent before a rule runs.

    Attributes:
        code: the code of the rule.
    """

    code: str


@dataclass(frozen=True, slots=True)
class RuleDone:
    """An event that reports the outcome of a rule.

    Attributes:
        code: the code of the rule.
        reason: why the rule could not be checked, or "" if it was checked.
        findings: the defects that the rule found, except for expected defects.
        seconds: how long the rule took in seconds, including its probe if this rule was the first to use it.
        expected: the defects that were expected and therefore do not count.
        why: the reason why these defects were expected.
        left_out: whether the rule was skipped because the time budget was spent.
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
    """An event that is sent if a rule crashes because of a bug in the rule itself (GK005).

    Attributes:
        finding: the finding that describes the exception.
    """

    finding: Finding


@dataclass(frozen=True, slots=True)
class Died:
    """An event that is sent if the target hangs, exits its process or tries to exit it (GK003).

    Attributes:
        finding: the finding that describes what happened.
    """

    finding: Finding


@dataclass(frozen=True, slots=True)
class At:
    """An event that is sent while a slow call to the target is still in progress.

    Attributes:
        moment: the call that is in progress.
    """

    moment: Moment


@dataclass(frozen=True, slots=True)
class Tried:
    """An event that reports the number of calls to the target.

    Attributes:
        calls: maps each phase, such as "the constructor", "reset" or "step", to the number of calls.
    """

    calls: dict[str, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """An event that reports the measured speed of the environment.

    Attributes:
        figures: steps_per_second, construct_seconds and reset_seconds, except for those that could not be measured.
    """

    figures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CutShort:
    """An event that is sent if the recorded run, which most rules examine, was cut short for lack of time.

    Attributes:
        steps: the number of steps that were recorded.
    """

    steps: int


@dataclass(frozen=True, slots=True)
class Failed:
    """An event that is sent if the target could not be found or created, so that no rule can be checked.

    Attributes:
        message: the reason.
    """

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
