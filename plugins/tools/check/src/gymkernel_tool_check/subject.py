"""`Subject`, the target of a check; rules and probes receive it as their first argument."""

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
"""The factor by which a run is shortened if it only repeats a probe of another process for other rules."""
NATIVE: Final = ("OpenGL", "glfw", "moderngl", "mujoco", "panda3d", "pybullet", "pyglet", "sapien", "vispy", "vizdoom")
"""Graphics libraries that may open a window."""
Seen = TypeVar("Seen")


def _ignore(_fact: Fact) -> None:
    """Ignore a fact, because no other process needs it."""


@dataclass
class Subject(Instances):
    """The target of a check and the calls into it; rules and probes receive it as their first argument.

    The attributes describe the target: `name`, `kind`, `object`, `options`, `found`, ... The methods use the target:
    `env()` creates an environment, `at(...)` announces the next call, and `get(probe)` returns the result of a probe.

    Attributes:
        seen: by the function of each probe that ran, its result or the reason why it could not run.
        running: the running probes, with the innermost last.
        owner: the name of the probe that this process is for; None if one process runs all probes.
        hangs: whether a call did not return, so that the time limit of further calls is shorter.
        tell: a function that is called with each fact for the other processes of the check.
        settings: the settings of the process when the check began.
    """

    seen: dict[Callable[..., Any], tuple[Any, Skip | None]] = field(default_factory=dict, init=False)
    running: list[Probe[Any]] = field(default_factory=list, init=False)
    owner: str | None = field(default=None, init=False)
    hangs: bool = field(default=False, init=False)
    tell: Callable[[Fact], None] = field(default_factory=lambda: _ignore, init=False)
    settings: Settings = field(default_factory=Settings.now, init=False)

    def get(self, probe: Callable[[Subject], Seen]) -> Seen:
        """Return the result of a probe, which runs only once; if it could not run, every call raises `Skip`.

        Args:
            probe: a function of a subject, usually a `Probe`.

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
        self._announce_probe()
        try:
            return probe(self), None
        except Died as died:
            self.seen[probe.function] = None, Skip(f"{died} (GK003)")
            raise
        except Skip as skip:
            return None, skip
        finally:
            self.running.pop()
            self._announce_probe()

    def _announce_probe(self) -> None:
        current = self.current
        self.tell(ProbeEntered(current.name, current.typical) if current else ProbeEntered())

    @property
    def current(self) -> Probe[Any] | None:
        """The innermost running probe, or None."""
        return self.running[-1] if self.running else None

    @contextlib.contextmanager
    def trying(self, mode: str) -> Iterator[None]:
        """Try a render mode.

        "human" and modes that use a graphics library may fail without a display, which is no defect.

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
        """Record a call that did not return.

        Args:
            phase: what was called.
            episode: the number of the episode.
            step: the number of the step.
        """
        self.hangs, current = True, self.current
        self.known.learn_hang(Hang(phase, episode, step), typical=current is not None and current.typical)
        self.tell(HangSeen(Hang(phase, episode, step)))

    def stuck(self, phase: str, episode: int, step: int) -> str:
        """Return the reason why a call must not be made (a similar call hung before), or "".

        Args:
            phase: what would be called.
            episode: the number of the episode.
            step: the number of the step.
        """
        covered = self.known.stuck is not None and self.known.stuck.covers(Hang(phase, episode, step))
        return f"{phase} does not return (GK003, GK217)" if covered else ""

    def where(self, method: str) -> tuple[str, int] | None:
        """Return the file and line of a method of the target.

        Args:
            method: the name of the method; "" or "class" for the class itself.

        Returns:
            The file and line, or None if the source is unknown.
        """
        inner = innermost(self.first)
        owner = type(inner) if inner is not None else self.make if isinstance(self.make, type) else self.object
        found = getattr(owner, method, None) if owner is not None and method not in {"", "class"} else None
        return source_of(found if callable(found) else owner) or (None if owner is None else source_of(owner))

    def reproduce(self, show: str | Program) -> str:
        """Return a program that shows a fault: the recipe followed by some lines.

        Args:
            show: the lines after the creation of `env`, or a `Program` that creates its objects itself.
        """
        return self.recipe.program(show, made=self.kind in {"envs", "spaces"})

    def deadline(self) -> float:
        """Return the time when a recorded run that starts now takes no further step."""
        return time.perf_counter() + self.options.run_seconds / (ASIDE if self.is_aside else 1)

    @property
    def is_aside(self) -> bool:
        """Whether the running probe belongs to another process, and is only repeated in this process."""
        return self.owner is not None and self.current is not None and self.current.name != self.owner

    @property
    def declared(self) -> dict[str, str]:
        """The expected failures that the classes of the target declare, with their reasons."""
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
