"""`Facts`, which the processes of one check share, and the records that transmit these facts."""

from __future__ import annotations

from dataclasses import dataclass, field

from gymkernel_tool_check.definition import Hang

__all__ = ["CauseFound", "Fact", "Facts", "HangSeen", "ModeEntered", "ProbeEntered"]


@dataclass(frozen=True, slots=True)
class ProbeEntered:
    """A probe started, or an outer probe continues; the name is empty outside all probes."""

    name: str = ""
    typical: bool = False


@dataclass(frozen=True, slots=True)
class ModeEntered:
    """A render mode that may need a display is tried; the name is empty afterwards."""

    mode: str = ""


@dataclass(frozen=True, slots=True)
class CauseFound:
    """The rule that explains why runs with one seed differ; empty if the runs do not differ."""

    code: str


@dataclass(frozen=True, slots=True)
class HangSeen:
    """A call did not return and was abandoned."""

    hang: Hang


Fact = ProbeEntered | ModeEntered | CauseFound | HangSeen


@dataclass(slots=True)
class Facts:
    """The facts that the probes of a check have found out; the first answer counts.

    Attributes:
        cause: the rule that explains why runs with one seed differ; empty if they do not differ, None if unknown.
        stuck: the call that hangs in every probe.
        modes: render modes that end the process on a machine without a display, with descriptions.
        dead: the names of probes that ended their process, with descriptions.
        close_hangs: whether `close` hangs, so that environments are left open.
    """

    cause: str | None = None
    stuck: Hang | None = None
    modes: dict[str, str] = field(default_factory=dict)
    dead: dict[str, str] = field(default_factory=dict)
    close_hangs: bool = False

    def learn_cause(self, code: str) -> None:
        """Store the cause unless one is known already."""
        self.cause = code if self.cause is None else self.cause

    def learn_hang(self, hang: Hang, *, typical: bool) -> None:
        """Store the first hang that occurs among the first calls of a typical probe."""
        if self.stuck is None and typical and hang.is_early:
            self.stuck = hang
