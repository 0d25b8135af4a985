"""`Facts`, which all processes of a check share, and the messages that carry new facts between the processes."""

from __future__ import annotations

from dataclasses import dataclass, field

from gymkernel_tool_check.definition import Hang

__all__ = ["CauseFound", "Fact", "Facts", "HangSeen", "ModeEntered", "ProbeEntered"]


@dataclass(frozen=True, slots=True)
class ProbeEntered:
    """A message that is sent when a probe starts. The name is empty if no probe is running."""

    name: str = ""
    typical: bool = False


@dataclass(frozen=True, slots=True)
class ModeEntered:
    """A message that names the render mode in use, if the mode may need a display. After the use, the name is empty."""

    mode: str = ""


@dataclass(frozen=True, slots=True)
class CauseFound:
    """A message with the code of the rule that explains why runs with the same seed differ, or "" if the runs agree."""

    code: str


@dataclass(frozen=True, slots=True)
class HangSeen:
    """A message that is sent when a call has hung and has been abandoned."""

    hang: Hang


Fact = ProbeEntered | ModeEntered | CauseFound | HangSeen


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
