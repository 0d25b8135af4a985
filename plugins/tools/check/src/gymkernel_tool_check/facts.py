"""`Facts`, which the processes of a check share, and the messages that transmit new facts."""

from __future__ import annotations

from dataclasses import dataclass, field

from gymkernel_tool_check.definition import Hang

__all__ = ["CauseFound", "Fact", "Facts", "HangSeen", "ModeEntered", "ProbeEntered"]


@dataclass(frozen=True, slots=True)
class ProbeEntered:
    """The news that another probe has started. The name is empty if no probe is in progress."""

    name: str = ""
    typical: bool = False


@dataclass(frozen=True, slots=True)
class ModeEntered:
    """The news that a render mode that may need a display is in use. The name is empty once the mode is not in use."""

    mode: str = ""


@dataclass(frozen=True, slots=True)
class CauseFound:
    """The code of the rule that explains why runs with the same seed differ; empty if the runs do not differ."""

    code: str


@dataclass(frozen=True, slots=True)
class HangSeen:
    """The news that a call did not return and was abandoned."""

    hang: Hang


Fact = ProbeEntered | ModeEntered | CauseFound | HangSeen


@dataclass(slots=True)
class Facts:
    """The facts that the probes of a check have found out about the target. The first answer to each question is kept.

    Attributes:
        cause: the code of the rule that explains why runs with the same seed differ. "" if the runs do not differ,
            None if the answer is not known yet.
        stuck: the call that hangs in every probe; None if no such call is known.
        modes: maps each render mode that crashes the process on a machine without a display to a description of the
            crash.
        dead: maps the name of each probe whose process died to a description of the death.
        close_hangs: whether `close` hangs. If it does, environments are left open.
    """

    cause: str | None = None
    stuck: Hang | None = None
    modes: dict[str, str] = field(default_factory=dict)
    dead: dict[str, str] = field(default_factory=dict)
    close_hangs: bool = False

    def learn_cause(self, code: str) -> None:
        """Store the code of the rule that explains the differences, unless an answer is already known."""
        self.cause = code if self.cause is None else self.cause

    def learn_hang(self, hang: Hang, *, typical: bool) -> None:
        """Store a hang, but only the first one that occurs early in a typical probe."""
        if self.stuck is None and typical and hang.is_early:
            self.stuck = hang
