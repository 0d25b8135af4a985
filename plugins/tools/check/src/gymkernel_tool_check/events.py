"""The events of a check, which `watch` receives as they happen, and the facts that the processes of a check share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gymkernel_tool_check.definition import Hang, Moment
from gymkernel_tool_check.findings import Finding

__all__ = ["At", "CauseFound", "CutShort", "Declared", "Died", "Event", "Facts", "Failed", "Found", "HangSeen", "Made"]
__all__ += ["Measured", "Message", "ModeEntered", "Planned", "ProbeEntered", "RuleBegan", "RuleCrashed", "RuleDone"]
__all__ += ["Tried"]


@dataclass(frozen=True, slots=True)
class Message:
    """A message that one process of a check sends to another."""


class Event(Message):
    """An event of a check."""


@dataclass(frozen=True, slots=True)
class Found(Event):
    """An event that describes the target before it is created: its kind, name, class, distribution and version."""

    about: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Made(Event):
    """An event that describes the target after it has been created: its class, file, line, spaces and more.

    Attributes:
        about: the description of the target, or an empty dictionary if the target cannot be created.
    """

    about: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Planned(Event):
    """An event that lists the rules that will run, each as returned by `Rule.describe`."""

    rules: tuple[dict[str, str], ...]


@dataclass(frozen=True, slots=True)
class Declared(Event):
    """An event that lists the expected failures that the target's classes declare.

    Attributes:
        failures: the rules that are expected to fail, as a dictionary from codes to reasons.
        possible: the rules that fail with some seeds and pass with other seeds, as a dictionary from codes to reasons.
    """

    failures: dict[str, str]
    possible: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RuleBegan(Event):
    """An event that is sent before a rule runs.

    Attributes:
        code: the code of the rule.
    """

    code: str


@dataclass(frozen=True, slots=True)
class RuleDone(Event):
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
class RuleCrashed(Event):
    """An event that is sent if a rule crashes because of a bug in the rule itself (GK005).

    Attributes:
        finding: the finding that describes the exception.
    """

    finding: Finding


@dataclass(frozen=True, slots=True)
class Died(Event):
    """An event that is sent if the target hangs, exits its process or tries to exit it (GK003).

    Attributes:
        finding: the finding that describes what happened.
    """

    finding: Finding


@dataclass(frozen=True, slots=True)
class At(Event):
    """An event that is sent while a slow call to the target is still in progress.

    Attributes:
        moment: the call that is in progress.
    """

    moment: Moment


@dataclass(frozen=True, slots=True)
class Tried(Event):
    """An event that reports the number of calls to the target.

    Attributes:
        calls: maps each phase, such as "the constructor", "reset" or "step", to the number of calls.
    """

    calls: dict[str, int]


@dataclass(frozen=True, slots=True)
class Measured(Event):
    """An event that reports the measured speed of the environment.

    Attributes:
        figures: steps_per_second, construct_seconds and reset_seconds, except for those that could not be measured.
    """

    figures: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CutShort(Event):
    """An event that is sent if the recorded run, which most rules examine, was cut short for lack of time.

    Attributes:
        steps: the number of steps that were recorded.
    """

    steps: int


@dataclass(frozen=True, slots=True)
class Failed(Event):
    """An event that is sent if the target could not be found or created, so that no rule can be checked.

    Attributes:
        message: the reason.
    """

    message: str


@dataclass(frozen=True, slots=True)
class ProbeEntered(Message):
    """A message that is sent when a probe starts. The name is empty if no probe is running."""

    name: str = ""
    typical: bool = False


@dataclass(frozen=True, slots=True)
class ModeEntered(Message):
    """A message that names the render mode in use, if the mode may need a display. After the use, the name is empty."""

    mode: str = ""


@dataclass(frozen=True, slots=True)
class CauseFound(Message):
    """A message with the code of the rule that explains why runs with the same seed differ, or "" if the runs agree."""

    code: str


@dataclass(frozen=True, slots=True)
class HangSeen(Message):
    """A message that is sent when a call has hung and has been abandoned."""

    hang: Hang


@dataclass(slots=True)
class Facts:
    """Facts about the target that the probes of a check have established. For each fact, only the first value is kept.

    Attributes:
        cause: the code of the rule that explains why runs with the same seed differ, "" if the runs agree, or None if
            this is not known yet.
        stuck: the call that hangs in every probe, or None if no such call is known.
        modes: the render modes that crash the process if no display is available, each with a description of the crash.
        dead: the probes whose processes died, as a dictionary from names to descriptions of how the process died.
        close_hangs: whether `close` hangs. If so, environments are not closed.
    """

    cause: str | None = None
    stuck: Hang | None = None
    modes: dict[str, str] = field(default_factory=dict)
    dead: dict[str, str] = field(default_factory=dict)
    close_hangs: bool = False

    def learn_cause(self, code: str) -> None:
        """Store the code of the rule that explains why runs differ, unless a code is already stored."""
        self.cause = code if self.cause is None else self.cause

    def learn_hang(self, hang: Hang, *, typical: bool) -> None:
        """Store a call that hung, if no other call hung before and the call was made early in a typical probe."""
        if self.stuck is None and typical and hang.is_early:
            self.stuck = hang
