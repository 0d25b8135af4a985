"""`Facts`: what the processes of one check learn from each other, and the records in which they say it."""

from __future__ import annotations

from dataclasses import dataclass, field

from gymkernel_tool_check.definition import Hang

__all__ = ["CauseFound", "Fact", "Facts", "HangSeen", "ModeEntered", "ProbeEntered"]


@dataclass(frozen=True, slots=True)
class ProbeEntered:
    """A probe began, or the probe around it goes on; the name is empty outside of all probes."""

    name: str = ""
    typical: bool = False


@dataclass(frozen=True, slots=True)
class ModeEntered:
    """A render mode that may need a display is tried; the name is empty afterwards."""

    mode: str = ""


@dataclass(frozen=True, slots=True)
class CauseFound:
    """The rule that says why runs with one seed differ; empty where they do not differ."""

    code: str


@dataclass(frozen=True, slots=True)
class HangSeen:
    """A call did not return, and was given up."""

    hang: Hang


Fact = ProbeEntered | ModeEntered | CauseFound | HangSeen


@dataclass(slots=True)
class Facts:
    """What the probes of a check have found out; the first answer counts.

    Attributes:
        cause: the rule that says why runs with one seed differ, empty where they do not; None where nobody has looked.
        stuck: the call that hangs in every probe.
        modes: render modes that end the process where there is no display, with how.
        dead: probes, by name, that ended their process, with how.
        close_hangs: whether `close` hangs, so that what was made is left open.
    """

    cause: str | None = None
    stuck: Hang | None = None
    modes: dict[str, str] = field(default_factory=dict)
    dead: dict[str, str] = field(default_factory=dict)
    close_hangs: bool = False

    def learn_cause(self, code: str) -> None:
        """Keep the first answer."""
        self.cause = code if self.cause is None else self.cause

    def learn_hang(self, hang: Hang, *, typical: bool) -> None:
        """Keep the first hang among the first calls of a probe that does what all probes do."""
        if self.stuck is None and typical and hang.is_early:
            self.stuck = hang
