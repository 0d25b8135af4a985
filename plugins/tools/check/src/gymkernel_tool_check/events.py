"""The events of a check. `check` passes each event to the function `watch` as it happens."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gymkernel_tool_check.definition import Moment
from gymkernel_tool_check.findings import Finding

__all__ = ["At", "CutShort", "Declared", "Died", "Event", "Failed", "Found", "Made", "Measured", "Planned", "RuleBegan"]
__all__ += ["RuleCrashed", "RuleDone", "Tried"]


@dataclass(frozen=True, slots=True)
class Found:
    """The facts about the target that are known before creation: its kind, name, distribution, version and class."""

    about: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Made:
    """The facts about the target that are known after creation: its class, file, line, spaces, ...

    Attributes:
        about: this description; empty if the target cannot be created.
    """

    about: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Planned:
    """The announcement of the rules that the check will run, each as returned by `Rule.describe`."""

    rules: tuple[dict[str, str], ...]


@dataclass(frozen=True, slots=True)
class Declared:
    """The expected failures that the target's classes declare.

    Attributes:
        failures: maps the code of each rule that is expected to fail to the reason.
    """

    failures: dict[str, str]


@dataclass(frozen=True, slots=True)
class RuleBegan:
    """The start of a rule.

    Attributes:
        code: the code of the rule.
    """

    code: str


@dataclass(frozen=True, slots=True)
class RuleDone:
    """The outcome of a rule.

    Attributes:
        code: the code of the rule.
        reason: why the rule could not be checked; "" if it was checked.
        findings: the defects found by the rule, except the expected ones.
        seconds: the duration of the rule in seconds, including its probe if the probe ran for this rule.
        expected: the defects that were expected and therefore do not count.
        why: the reason why these defects were expected.
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
    """A rule that crashed because of a bug in the rule itself (GK005).

    Attributes:
        finding: the finding that describes the exception.
    """

    finding: Finding


@dataclass(frozen=True, slots=True)
class Died:
    """A target that exited its process, tried to exit it, or hung (GK003).

    Attributes:
        finding: the finding that describes what happened.
    """

    finding: Finding


@dataclass(frozen=True, slots=True)
class At:
    """A slow call into the target, announced while it is still in progress.

    Attributes:
        moment: the call.
    """

    moment: Moment


@dataclass(frozen=True, slots=True)
class Tried:
    """The number of calls into the target.

    Attributes:
        calls: maps "the constructor", "reset", "step" and other phases passed to `subject.at` to the number of calls.
    """

    calls: dict[str, int]


@dataclass(frozen=True, slots=True)
class Measured:
    """The measured speed of the environment.

    Attributes:
        figures: steps_per_second, construct_seconds and reset_seconds. Figures that could not be measured are missing.
    """

    figures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CutShort:
    """The news that the recorded run, which most rules examine, was cut short for lack of time.

    Attributes:
        steps: the number of steps that were recorded.
    """

    steps: int


@dataclass(frozen=True, slots=True)
class Failed:
    """A target that could not be found or created, so that no rule can be checked.

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
