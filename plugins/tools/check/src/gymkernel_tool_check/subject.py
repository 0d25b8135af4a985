"""`Subject`, the object through which rules and probes use the target of a check."""

from __future__ import annotations

import contextlib
import math
import operator
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from gymkernel_tool_check.definition import BudgetSpent, Died, Hang, Moment, Probe, Skip
from gymkernel_tool_check.events import Declared, Facts, HangSeen, Message, ModeEntered, ProbeEntered
from gymkernel_tool_check.introspect import innermost, read, source_of, takes
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.recipe import Program, Recipe
from gymkernel_tool_check.settings import Settings
from gymkernel_util_spaces.texts import error_text, text_of

__all__ = ["Subject"]

ASIDE: Final = 6
"""The factor by which a process shortens its runs if it only repeats a probe that another process reports on."""
NATIVE: Final = ("OpenGL", "glfw", "moderngl", "mujoco", "panda3d", "pybullet", "pyglet", "sapien", "vispy", "vizdoom")
"""Graphics libraries that may open a window."""
UNKNOWN: Final = Recipe(note="make the environment")
START: Final = Moment("")
Seen = TypeVar("Seen")


def _ignore(_fact: Message) -> None:
    """Ignore a fact. This is the default, because only other processes need facts."""


@dataclass
class Subject:
    """The target of a check. Rules and probes receive it as their first argument.

    Its attributes, such as `name`, `kind`, `object`, `options` and `found`, describe the target. Its methods use the
    target: `env()` creates an environment, `at(...)` announces the next call, and `get(probe)` returns the result of a
    probe.

    Attributes:
        name: the name of the target, as given by the user.
        kind: the kind of target: "envs", "spaces", "wrappers", "vector", "vector_wrappers", ...
        make: a function that takes keyword arguments and creates an environment; None if no environment can be
            created.
        live: the existing environment or space if the target is an object; otherwise None.
        object: the class or other object that the target's name refers to; None if there is none.
        plugin: the entry point that provides the target, or None if the target is not a plugin.
        options: the options of the check.
        recipe: the code that creates `env` or `space` in reproducers.
        nondeterministic: whether the spec declares that equal seeds may give different trajectories.
        found: the description of the target that appears in the report.
        known: the facts that the processes of the check have established so far, such as which calls hang.
        made: the created environments, which are closed at the end of the check.
        counts: maps each phase ("the constructor", "reset", "step", ...) to the number of calls.
        now: the call in progress, or the last call.
        check_deadline: the time at which the budget of the check is spent, as a value of `time.perf_counter`. The
            target is not called after this time.
        notify: a function that is called before every call to the target, with the `Moment` of the call and its time
            limit in seconds (None for the default).
        seen: the outcome of each probe that was started, keyed by the probe's function: (the result, None), or (None,
            the `Skip` exception) if the probe could not run.
        running: the probes in progress, from the outermost to the innermost. A probe may use another probe.
        owner: the name of the probe for which the current process was started, or None if one process runs all probes.
        hangs: whether a call has hung. If so, later calls have a shorter time limit.
        tell: a function that passes a fact on to the other processes of the check.
        settings: the process-wide settings at the beginning of the check.
    """

    name: str
    kind: str = "envs"
    make: Callable[..., Any] | None = None
    live: Any = None
    object: Any = None
    plugin: Any = None
    options: Options = field(default_factory=Options)
    recipe: Recipe = UNKNOWN
    nondeterministic: bool = False
    found: dict[str, Any] = field(default_factory=dict)
    known: Facts = field(default_factory=Facts, init=False)
    made: list[Any] = field(default_factory=list, init=False)
    counts: dict[str, int] = field(default_factory=dict, init=False)
    now: Moment = field(default=START, init=False)
    check_deadline: float = field(default=math.inf, init=False)
    notify: Callable[[Moment, float | None], None] | None = field(default=None, init=False)
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
    def declared(self) -> Declared:
        """The failures that the target's classes declare as expected or possible."""
        names = ("gymkernel_expected_failures", "gymkernel_possible_failures")
        return Declared(*map(self._declarations, names))

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

    def at(
        self,
        phase: str,
        seed: int | None = None,
        episode: int | None = None,
        step: int | None = None,
        *,
        within: float | None = None,
    ) -> None:
        """Announce the next call to the target, so that a hang or a crash can be reported.

        Args:
            phase: what is called, such as "step", "reset" or "the constructor".
            seed: the seed of the run.
            episode: the number of the episode, starting at 1.
            step: the number of the step, starting at 1; 0 is the reset.
            within: the maximum duration in seconds, if the call does not go to the target; None to use the time limit
                of the phase.

        Raises:
            BudgetSpent: if the time budget is spent. The call must then not be made.
        """
        self.require_time()
        self.now = Moment(phase, seed, episode, step)
        self.counts[phase] = self.counts.get(phase, 0) + 1
        if self.notify is not None:
            self.notify(self.now, within)

    def require_time(self) -> None:
        """Raise `BudgetSpent` if the time budget of the check is spent."""
        if self.time_left < 0:
            raise BudgetSpent

    @property
    def time_left(self) -> float:
        """The time left for the check in seconds, which is infinite if the check has no time budget."""
        return self.check_deadline - time.perf_counter()

    @contextlib.contextmanager
    def catching_exit(self) -> Iterator[None]:
        """Raise `Died` if the target calls `sys.exit` within the block."""
        try:
            yield
        except SystemExit as exc:
            raise Died(f"{self.now.phase} ended the process: sys.exit({text_of(exc.code)})", self.now) from exc

    def attempt(self, call: Callable[..., Any], *arguments: Any, **keywords: Any) -> tuple[Any, Exception | None]:
        """Make a call, and return (result, None), or (None, exception) if it raises. `Skip` and `Died` propagate.

        Args:
            call: a function of the target, or one that calls the target. Announce the call with `at` first.
            *arguments: positional arguments for the function.
            **keywords: keyword arguments for the function.
        """
        try:
            with self.catching_exit():
                return call(*arguments, **keywords), None
        except Skip:
            raise
        except Exception as exc:  # noqa: BLE001 - the caller examines the exception
            return None, exc

    def env(self, *, second: bool = False) -> Any:
        """Return an environment for experiments: a new one if possible, otherwise the existing one.

        Args:
            second: whether a new environment is required.

        Raises:
            Skip: if no environment can be created, or if `second` is true and no second one can be created.
        """
        if self.only_instance is not None:
            if second and self.live is not None:
                raise Skip("a second instance is needed; check the id, the class or a function that creates it")
            if second:
                raise Skip("a second instance is needed, but --single-instance forbids it")
            return _usable(self.only_instance)
        if self.make is None:
            raise Skip(f"{self.name} is not an environment")
        try:
            env = self.create(self.make)
        except Exception as exc:
            if self.made and not second:
                return _usable(self.made[0])  # perhaps only one instance can exist, as with a robot
            second_fails = f"a second instance cannot be created: {error_text(exc)}"
            raise Skip(second_fails if self.made else "the environment cannot be created (GK001)") from exc
        if not callable(getattr(env, "reset", None)) or not callable(getattr(env, "step", None)):
            raise Skip("the environment has no reset and step (GK002)")
        return _usable(env)

    @property
    def only_instance(self) -> Any:
        """The existing environment, or the one that was created if the options forbid a second one; otherwise None."""
        return self.first if self.live is not None or self.options.single_instance else None

    @property
    def first(self) -> Any:
        """The existing environment, or the first one that was created, or None if there is none."""
        return self.live if self.live is not None else next(iter(self.made), None)

    @contextlib.contextmanager
    def untracked(self) -> Iterator[None]:
        """Exclude environments that are created in the block from the cleanup at the end of the check."""
        count = len(self.made)
        yield
        del self.made[count:]

    def create(self, make: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Create an environment that is closed at the end of the check. Exceptions from the constructor propagate.

        Args:
            make: the function that creates the environment.
            *arguments: positional arguments for the function.
            **keywords: keyword arguments for the function.
        """
        self.at("the constructor")
        with self.catching_exit():
            env = make(*arguments, **keywords)
        self.made.append(env)
        return env

    def close(self) -> None:
        """Close all created environments."""
        while self.made:
            with contextlib.suppress(Died):
                self.shut(self.made.pop())

    def shut(self, env: Any) -> None:
        """Close an environment and ignore exceptions. Do nothing if `close` is known to hang.

        Args:
            env: an environment that `env()` returned.
        """
        with contextlib.suppress(Skip):
            self.close_error(env)

    def close_error(self, env: Any) -> Exception | None:
        """Close an environment, and return the exception that `close` raised, or None.

        Args:
            env: an environment that `env()` returned.

        Raises:
            Skip: if `close` is known to hang.
        """
        if self.known.close_hangs:
            raise Skip("close does not return (GK003)")
        self.at("close")
        return self.attempt(operator.methodcaller("close"), env)[1]


def _usable(env: Any) -> Any:
    """Return the environment without its wrappers if the environment's `reset` lacks `seed` and `options` (GK201)."""
    inner = read(env, "unwrapped", env)
    if inner is env or all(takes(inner, name) for name in ("seed", "options")):
        return env
    return inner
