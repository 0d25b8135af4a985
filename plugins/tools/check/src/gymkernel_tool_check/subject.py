"""`Subject`: what is checked; rules and probes get it as their first argument."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from gymkernel_tool_check.definition import Died, Hang, Probe, Skip
from gymkernel_tool_check.facts import Fact, HangSeen, ModeEntered, ProbeEntered
from gymkernel_tool_check.instances import Instances
from gymkernel_tool_check.introspect import innermost, read, source_of
from gymkernel_tool_check.recipe import Program
from gymkernel_tool_check.settings import Settings

__all__ = ["Subject"]

ASIDE: Final = 6
"""A run that is only repeated, so that other rules have it in their process, gets so much less time."""
NATIVE: Final = ("OpenGL", "glfw", "moderngl", "mujoco", "panda3d", "pybullet", "pyglet", "sapien", "vispy", "vizdoom")
"""Libraries that draw, and may do so by a window."""
Seen = TypeVar("Seen")


def _ignore(_fact: Fact) -> None:
    """Do nothing: no other process is to know."""


@dataclass
class Subject(Instances):
    """What is checked, and what is done with it; rules and probes get it as their first argument.

    What describes the target are attributes of it: `name`, `kind`, `object`, `options`, `found`, ... What is done
    with it are methods: `env()` makes an environment, `at(...)` says what is called next, `get(probe)` is what a probe
    saw.

    Attributes:
        seen: for the function of each probe that ran, what it returned, or why it could not run.
        running: the probes that go on, the innermost last.
        owner: the probe, by name, that this process is for; None where one process runs them all.
        hangs: whether a call did not return, so that further ones are waited for less long.
        tell: called with each fact that other processes of the check should know.
        settings: those of the process when the check began.
    """

    seen: dict[Callable[..., Any], tuple[Any, Skip | None]] = field(default_factory=dict, init=False)
    running: list[Probe[Any]] = field(default_factory=list, init=False)
    owner: str | None = field(default=None, init=False)
    hangs: bool = field(default=False, init=False)
    tell: Callable[[Fact], None] = field(default_factory=lambda: _ignore, init=False)
    settings: Settings = field(default_factory=Settings.now, init=False)

    def get(self, probe: Callable[[Subject], Seen]) -> Seen:
        """Return what a probe sees; it runs once, and a probe that could not run cannot for anyone.

        Args:
            probe: a function of a subject, mostly one that `probe` made.

        Raises:
            Skip: the probe could not run.
        """
        made = Probe.of(probe)
        if made.function not in self.seen:
            self.seen[made.function] = self._run(made)
        seen, skip = self.seen[made.function]
        if skip is not None:
            raise skip
        return seen  # type: ignore[no-any-return]

    def _run(self, probe: Probe[Any]) -> tuple[Any, Skip | None]:
        if probe.name in self.known.dead:
            return None, Skip(self.known.dead[probe.name])
        self.running.append(probe)
        self._tell_probe()
        try:
            return probe(self), None
        except Died as died:
            self.seen[probe.function] = None, Skip(f"{died} (GK003)")
            raise
        except Skip as skip:
            return None, skip
        finally:
            self.running.pop()
            self._tell_probe()

    def _tell_probe(self) -> None:
        current = self.current
        self.tell(ProbeEntered(current.name, current.typical) if current else ProbeEntered())

    @property
    def current(self) -> Probe[Any] | None:
        """The probe that goes on."""
        return self.running[-1] if self.running else None

    @contextlib.contextmanager
    def trying(self, mode: str) -> Iterator[None]:
        """Try a render mode; "human", and what draws by a native library, may need a display without being a defect.

        Args:
            mode: the render mode.

        Raises:
            Skip: the mode has ended the process before.
        """
        if mode in self.known.modes:
            raise Skip(f"it needs a display: {self.known.modes[mode]}")
        may_need_a_display = mode == "human" or any(name in sys.modules for name in NATIVE)
        self.tell(ModeEntered(mode if may_need_a_display else ""))
        try:
            yield
        finally:
            self.tell(ModeEntered())

    def hung(self, phase: str, episode: int, step: int) -> None:
        """Remember a call that did not return.

        Args:
            phase: what was called.
            episode: the number of the episode.
            step: the number of the step.
        """
        self.hangs, current = True, self.current
        self.known.learn_hang(Hang(phase, episode, step), typical=current is not None and current.typical)
        self.tell(HangSeen(Hang(phase, episode, step)))

    def stuck(self, phase: str, episode: int, step: int) -> str:
        """Return why a call is not to be made: one like it hung before; empty where none did.

        Args:
            phase: what would be called.
            episode: the number of the episode.
            step: the number of the step.
        """
        covered = self.known.stuck is not None and self.known.stuck.covers(Hang(phase, episode, step))
        return f"{phase} does not return (GK003, GK217)" if covered else ""

    def where(self, method: str) -> tuple[str, int] | None:
        """Return file and line of a method of what is checked.

        Args:
            method: its name; empty, or "class", for the class itself.

        Returns:
            None where the source is not known.
        """
        inner = innermost(self.first)
        owner = type(inner) if inner is not None else self.make if isinstance(self.make, type) else self.object
        found = getattr(owner, method, None) if owner is not None and method not in {"", "class"} else None
        return source_of(found if callable(found) else owner) or (None if owner is None else source_of(owner))

    def reproduce(self, show: str | Program) -> str:
        """Return a program that shows a fault: the recipe and the lines that follow it.

        Args:
            show: the lines that follow the making of `env`, or a `Program` that has its own.
        """
        return self.recipe.program(show, made=self.kind in {"envs", "spaces"})

    def deadline(self) -> float:
        """Return when a recorded run that starts now takes no further step."""
        return time.perf_counter() + self.options.run_seconds / (ASIDE if self.is_aside else 1)

    @property
    def is_aside(self) -> bool:
        """Whether the probe that goes on belongs to another process, and is only repeated in this one."""
        return self.owner is not None and self.current is not None and self.current.name != self.owner

    @property
    def declared(self) -> dict[str, str]:
        """The expected failures, with a reason each, that the classes of the target declare."""
        layers: list[Any] = [self.object if isinstance(self.object, type) else type(self.object)]
        env = self.first
        while env is not None and type(env) not in layers:
            layers.append(type(env))
            env = read(env, "env", None)
        found: dict[str, str] = {}
        for cls in layers:
            given = getattr(cls, "gymkernel_expected_failures", None)
            found |= {str(code).upper(): str(reason) for code, reason in given.items()} if given else {}
        return found
