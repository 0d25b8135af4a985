"""`SharedFacts`: what the processes of one check know of each other."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from gymkernel_tool_check.definition import Hang, Skip

__all__ = ["Facts", "SharedFacts"]

NATIVE: Final = ("OpenGL", "glfw", "moderngl", "mujoco", "panda3d", "pybullet", "pyglet", "sapien", "vispy", "vizdoom")
"""Libraries that draw, and may do so by a window."""


@dataclass(slots=True)
class Facts:
    """What was found out; who finds it first is right.

    Attributes:
        cause: the rule that says why runs with one seed differ, empty where they do not; None where nobody has looked.
        stuck: the call that hangs in every probe.
        modes: render modes that end the process where there is no display, with how.
    """

    cause: str | None = None
    stuck: Hang | None = None
    modes: dict[str, str] = field(default_factory=dict)

    def learn_cause(self, code: str) -> None:
        """Keep the first answer."""
        self.cause = code if self.cause is None else self.cause

    def learn_stuck(self, hang: Hang) -> None:
        """Keep the first hang."""
        self.stuck = hang if self.stuck is None else self.stuck


@dataclass(slots=True)
class SharedFacts:
    """What this process knows from others, and what it tells them.

    Attributes:
        owner: the probe, by name, that this process is for; None where one process runs them all.
        known: what others found out.
        hangs: whether a call did not return, so that further ones are waited for less long.
        tell_cause: called with what may become `known.cause` of others.
        tell_hang: called with a call that did not return.
        tell_mode: called with a render mode before it is tried, and with "" afterwards.
    """

    owner: str | None = None
    known: Facts = field(default_factory=Facts)
    hangs: bool = False
    tell_cause: Callable[[str], None] | None = None
    tell_hang: Callable[[Hang], None] | None = None
    tell_mode: Callable[[str], None] | None = None

    def found_cause(self, code: str) -> None:
        """Let the processes that come later know why runs differ; this one knows."""
        if self.tell_cause is not None:
            self.tell_cause(code)

    @contextlib.contextmanager
    def trying(self, mode: str) -> Iterator[None]:
        """Try a render mode; it is no defect to need a display, of "human" or of what draws by a native library.

        Raises:
            Skip: it has ended the process before.
        """
        if mode in self.known.modes:
            raise Skip(f"it needs a display: {self.known.modes[mode]}")
        may_need_a_display = mode == "human" or any(name in sys.modules for name in NATIVE)
        tell = self.tell_mode or (lambda _: None)
        tell(mode if may_need_a_display else "")
        try:
            yield
        finally:
            tell("")

    def hung(self, hang: Hang, *, typical: bool) -> None:
        """Remember a call that did not return, in a probe that does what all do or in another."""
        self.hangs = True
        if typical and hang.is_early:
            self.known.learn_stuck(hang)
        if self.tell_hang is not None:
            self.tell_hang(hang)

    def stuck(self, call: Hang) -> str:
        """Why a call is not to be made: one like it hung before; empty where none did."""
        covered = self.known.stuck is not None and self.known.stuck.covers(call)
        return f"{call.phase} does not return (GK003, GK217)" if covered else ""
