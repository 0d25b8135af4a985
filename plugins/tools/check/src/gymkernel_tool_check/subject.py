"""`Subject`, the object through which rules and probes use the target of a check."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from gymkernel_tool_check.definition import Died, Hang, Probe, Skip
from gymkernel_tool_check.events import HangSeen, Message, ModeEntered, ProbeEntered
from gymkernel_tool_check.instances import Instances
from gymkernel_tool_check.introspect import innermost, read, source_of
from gymkernel_tool_check.recipe import Program
from gymkernel_tool_check.settings import Settings

__all__ = ["Subject"]

ASIDE: Final = 6
"""The factor by which a process shortens its runs if it only repeats a probe that another process reports on."""
NATIVE: Final = ("OpenGL", "glfw", "moderngl", "mujoco", "panda3d", "pybullet", "pyglet", "sapien", "vispy", "vizdoom")
"""Graphics libraries that may open a window."""
Seen = TypeVar("Seen")


def _ignore(_fact: Message) -> None:
    """Ignore a fact. This is the default, because only other processes need facts."""


@dataclass
class Subject(Instances):
    """The target of a check. Rules and probes receive it as their first argument.

    Its attributes, such as `name`, `kind`, `object`, `options` and `found`, describe the target. Its methods use the
    target: `env()` creates an environment, `at(...)` announces the next call, and `get(probe)` returns the result of a
    probe.

    Attributes:
        seen: the outcome of each probe that was started, keyed by the probe's function: (the result, None), or (None,
            the `Skip` exception) if the probe could not run.
        running: the probes in progress, from the outermost to the innermost. A probe may use another probe.
        owner: the name of the probe for which the current process was started, or None if one process runs all probes.
        hangs: whether a call has hung. If so, later calls have a shorter time limit.
        tell: a function that passes a fact on to the other processes of the check.
        settings: the process-wide settings at the beginning of the check.
    """

    seen: dict[Callable[..., Any], tuple[Any, Skip | None]] = field(default_factory=dict, init=False)
    running: list[Probe[Any]] = field(default_factory=list, init=False)
    owner: str | None = field(default=None, init=False)
    hangs: bool = field(default=False, init=False)
    tell: Callable[[Message], None] = field(default_factory=lambda: _ignore, init=False)
    settings: Settings = field(default_factory=Settings.now, init=False)

    def get(self, probe: Callable[[Subject], Seen]) -> Seen:
        """Return the result of a probe. The probe runs only the first time.

        Args:
            probe: a `Probe`, or another function that takes the subject.

        Raises:
            Skip: if the probe could not run. Later calls for the same probe raise the exception again.
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
        """The probe in progress, or None. If a probe uses another probe, this is the inner one."""
        return self.running[-1] if self.running else None

    @contextlib.contextmanager
    def trying(self, mode: str) -> Iterator[None]:
        """Announce that the code in the block uses a render mode.

        If no display is available, "human" mode and modes that use a graphics library may crash the process. This is
        not a defect.

        Args:
            mode: the render mode.

        Raises:
            Skip: if the mode has already crashed another process of this check.
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
            phase: what was called, such as "reset" or "step".
            episode: the number of the episode.
            step: the number of the step.
        """
        self.hangs, current = True, self.current
        self.known.learn_hang(Hang(phase, episode, step), typical=current is not None and current.typical)
        self.tell(HangSeen(Hang(phase, episode, step)))

    def stuck(self, phase: str, episode: int, step: int) -> str:
        """Return the reason why a call must not be made because it would hang, or "" if it may be made.

        Args:
            phase: what would be called, such as "reset" or "step".
            episode: the number of the episode.
            step: the number of the step.
        """
        covered = self.known.stuck is not None and self.known.stuck.covers(Hang(phase, episode, step))
        return f"{phase} does not return (GK003, GK217)" if covered else ""

    def where(self, method: str) -> tuple[str, int] | None:
        """Return the file and line at which a method of the target is defined.

        Args:
            method: the name of the method, or "" or "class" for the class itself.

        Returns:
            The file and line, or None if they are unknown.
        """
        inner = innermost(self.first)
        owner = type(inner) if inner is not None else self.make if isinstance(self.make, type) else self.object
        found = getattr(owner, method, None) if owner is not None and method not in {"", "class"} else None
        return source_of(found if callable(found) else owner) or (None if owner is None else source_of(owner))

    def reproduce(self, show: str | Program) -> str:
        """Return a program that reproduces a fault.

        Args:
            show: the lines to run once `env` or `space` has been created, or a complete `Program` that creates its own
                objects.
        """
        return self.recipe.program(show, made=self.kind in {"envs", "spaces"})

    def deadline(self) -> float:
        """Return the time (`time.perf_counter`) after which a recorded run that starts now must take no more steps."""
        return time.perf_counter() + self.options.run_seconds / (ASIDE if self.is_aside else 1)

    @property
    def is_aside(self) -> bool:
        """Whether the probe in progress is only repeated in this process, while another process reports on it."""
        return self.owner is not None and self.current is not None and self.current.name != self.owner

    @property
    def declared(self) -> dict[str, str]:
        """The expected failures that the target's classes declare, as a dictionary from rule codes to reasons."""
        return self._declarations("gymkernel_expected_failures")

    @property
    def possible(self) -> dict[str, str]:
        """The failures that the target's classes declare as possible, as a dictionary from rule codes to reasons."""
        return self._declarations("gymkernel_possible_failures")

    def _declarations(self, attribute: str) -> dict[str, str]:
        layers: list[Any] = [self.object if isinstance(self.object, type) else type(self.object)]
        env = self.first
        while env is not None and type(env) not in layers:
            layers.append(type(env))
            env = read(env, "env", None)
        found: dict[str, str] = {}
        for cls in layers:
            given = getattr(cls, attribute, None)
            found |= {str(code).upper(): str(reason) for code, reason in given.items()} if given else {}
        return found
