"""`Subject`: what is checked, and what the probes did with it, each once."""

from __future__ import annotations

import contextlib
import inspect
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from gymkernel_tool_check.definition import Died, Hang, Moment, Probe, Skip
from gymkernel_tool_check.options import DEFAULT_SEED, DEFAULT_STEPS, DEFAULT_TIMEOUT, PROFILES, Options
from gymkernel_tool_check.recipe import Recipe
from gymkernel_tool_check.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymkernel_tool_check.recipe import Program

__all__ = ["DEFAULT_SEED", "DEFAULT_STEPS", "DEFAULT_TIMEOUT", "PROFILES", "Options", "Subject"]
__all__ += ["innermost", "source_of"]

ASIDE: Final = 6
"""A run that is only repeated, so that other rules have it in their process, gets so much less time."""
START: Final = Moment("")
UNKNOWN: Final = Recipe(note="make the environment")
Seen = TypeVar("Seen")


@dataclass
class Subject:
    """What is checked: an environment that can be made again and again, one that is there, or another object.

    Rules get it as their first argument; `get` runs a probe, or returns what it saw before.

    Attributes:
        name: how the user calls it.
        kind: the kind of target: "envs", "spaces", "wrappers", "vector", "vector_wrappers", ...
        make: makes an environment, with the keyword arguments given; None where there is but one object.
        live: the one environment or space that there is, where it cannot be made.
        object: a class, or another object, where the target is no environment.
        plugin: the entry point through which it was found, if any.
        options: how thoroughly to look.
        recipe: how `env` or `space` is made, for reproducers.
        nondeterministic: whether the spec says that equal seeds may give different trajectories.
        found: what the report shows of the target.
        notify: called with the moment before every call into the target, and with what it may take if that differs.
        entering: called with a probe that begins, and with the one around it, or None, when it has ended.
        calls: how often what was called.
        dead: probes, by name, that ended the process before, with how.
        known: what other processes found out: why runs part ("cause"), which call hangs ("stuck").
        tell: called with what this process found out for others, by name.
        tell_hang: called with a call that did not return.
        leaves: whether `close` hangs, so that what was made is left as it is.
        hangs: whether a call did not return, so that others are waited for less long.
        owner: the probe, by name, that this process is for; None where one process runs them all.
        settings: those of the process when the check began.
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
    notify: Callable[[Moment, float | None], None] | None = None
    entering: Callable[[Probe[Any] | None], None] | None = None
    calls: dict[str, int] = field(default_factory=dict)
    dead: dict[str, str] = field(default_factory=dict)
    known: dict[str, Any] = field(default_factory=dict)
    tell: Callable[[str, Any], None] | None = None
    tell_hang: Callable[[Hang], None] | None = None
    leaves: bool = False
    hangs: bool = False
    owner: str | None = None
    settings: Settings = field(default_factory=Settings.now)
    _seen: dict[Any, Any] = field(default_factory=dict)
    _made: list[Any] = field(default_factory=list)
    _probes: list[Probe[Any]] = field(default_factory=list)
    _now: Moment = START

    def get(self, probe: Callable[[Subject], Seen]) -> Seen:
        """What a probe sees; it runs once, and a probe that could not run cannot for anyone."""
        wanted = Probe.of(probe)
        if wanted.function not in self._seen:
            self._seen[wanted.function] = self._run(wanted)
        seen, skip = self._seen[wanted.function]
        if skip is not None:
            raise skip
        return seen  # type: ignore[no-any-return]

    def _run(self, probe: Probe[Any]) -> tuple[Any, Skip | None]:
        if probe.name in self.dead:
            return None, Skip(self.dead[probe.name])
        self._probes.append(probe)
        self._enter()
        try:
            return probe(self), None
        except Died as died:
            self._seen[probe.function] = None, Skip(f"{died} (GK003)")
            raise
        except Skip as skip:
            return None, skip
        finally:
            self._probes.pop()
            self._enter()

    def _enter(self) -> None:
        if self.entering is not None:
            self.entering(self._probes[-1] if self._probes else None)

    def at(
        self,
        phase: str,
        seed: int | None = None,
        episode: int | None = None,
        step: int | None = None,
        *,
        within: float | None = None,
    ) -> None:
        """Say what is called next, so that a hang or crash in it can be told.

        What is no call into the target may take another time: `within` so many seconds.
        """
        self._now = Moment(phase, seed, episode, step)
        self.calls[phase] = self.calls.get(phase, 0) + 1
        if self.notify is not None:
            self.notify(self._now, within)

    def share(self, name: str, value: Any) -> None:
        """Let the processes that come later know what was found out here."""
        if self.tell is not None:
            self.tell(name, value)

    def hung(self, phase: str, episode: int, step: int) -> None:
        """Remember a call that did not return."""
        self.hangs = True
        hang = Hang(phase, episode, step)
        if self._probes and self._probes[-1].typical and hang.is_early:
            self.known.setdefault("stuck", hang)
        if self.tell_hang is not None:
            self.tell_hang(hang)

    def stuck(self, phase: str, episode: int, step: int) -> str:
        """Why a call is not to be made: one like it hung before; empty where none did."""
        hung = self.known.get("stuck")
        covered = hung is not None and Hang(*hung).covers(Hang(phase, episode, step))
        return f"{phase} does not return (GK003, GK217)" if covered else ""

    @contextlib.contextmanager
    def surviving(self) -> Any:
        """Turn an attempt of the target to end the process into `Died`."""
        try:
            yield
        except SystemExit as exc:
            message = f"{self._now.phase} ended the process: sys.exit({exc.code!r})"
            raise Died(message, self._now) from exc

    def env(self, *, second: bool = False) -> Any:
        """An environment to try things with: a fresh one where it can be made, else the one that there is.

        Args:
            second: it must be a fresh one.

        Raises:
            Skip: it cannot be made.
        """
        if self.live is not None:
            if second:
                message = "needs a second instance; check the id, the class or a function that makes it"
                raise Skip(message)
            return self._usable(self.live)
        if self.make is None:
            message = f"{self.name} is no environment"
            raise Skip(message)
        if self.the_one is not None:
            if second:
                message = "needs a second instance, and there is to be but one (--single-instance)"
                raise Skip(message)
            return self._usable(self.the_one)
        self.at("the constructor")
        try:
            with self.surviving():
                env = self.make()
        except Exception as exc:
            if self._made and not second:
                return self._usable(self._made[0])  # there can be but one: a robot, a port
            message = f"a second instance cannot be made: {exc}" if self._made else "it cannot be made (GK001)"
            raise Skip(message) from exc
        self.keep(env)
        if not callable(getattr(env, "reset", None)) or not callable(getattr(env, "step", None)):
            message = "what is made has no reset and step (GK002)"
            raise Skip(message)
        return self._usable(env)

    @property
    def the_one(self) -> Any:
        """The environment that was made, where there is to be no second one beside it."""
        return self._made[0] if self.options.single_instance and self._made else None

    @staticmethod
    def _usable(env: Any) -> Any:
        """Without its wrappers where they would pass on arguments that the environment inside does not take (GK201)."""
        inner = getattr(env, "unwrapped", env)
        if inner is env or all(takes(inner, name) for name in ("seed", "options")):
            return env
        return inner

    def keep(self, env: Any) -> None:
        """Close this environment with the others."""
        self._made.append(env)

    def close(self) -> None:
        """Close everything that was made."""
        while self._made:
            with contextlib.suppress(Died):
                self.shut(self._made.pop())

    def shut(self, env: Any) -> None:
        """Close an environment that is no longer needed, whatever it raises; not where `close` is known to hang."""
        if not self.leaves:
            self.at("close")
            with contextlib.suppress(Exception), self.surviving():
                env.close()

    def dare_to_close(self) -> None:
        """Say that an environment is closed next.

        Raises:
            Skip: `close` is known to hang.
        """
        if self.leaves:
            message = "close does not return (GK003)"
            raise Skip(message)
        self.at("close")

    def where(self, method: str) -> tuple[str, int] | None:
        """File and line of a method of what is checked."""
        env = self.live if self.live is not None else next(iter(self._made), None)
        inner = innermost(env)
        owner = self.object if inner is None else type(inner)
        found = getattr(owner, method, None) if owner is not None and method not in {"", "class"} else None
        return source_of(found if callable(found) else owner) or (None if owner is None else source_of(owner))

    def reproduce(self, show: str | Program) -> str:
        """A program that shows a fault: the recipe and the lines that follow it."""
        return self.recipe.program(show, made=self.kind in {"envs", "spaces"})

    def deadline(self) -> float:
        """When a recorded run that starts now takes no further step."""
        aside = self.owner is not None and len(self._probes) > 0 and self._probes[-1].name != self.owner
        return time.perf_counter() + self.options.budget / (ASIDE if aside else 1)

    @property
    def declared(self) -> dict[str, str]:
        """The expected failures, with a reason each, that the classes of the target declare."""
        layers: list[Any] = [self.object if isinstance(self.object, type) else type(self.object)]
        env = self.live if self.live is not None else next(iter(self._made), None)
        while env is not None and type(env) not in layers:
            layers.append(type(env))
            env = getattr(env, "env", None)
        found: dict[str, str] = {}
        for cls in layers:
            given = getattr(cls, "gymkernel_expected_failures", None)
            found |= {str(code).upper(): str(reason) for code, reason in given.items()} if given else {}
        return found


def innermost(env: Any) -> Any:
    """The environment inside of all wrappers, and of adapters, which name their attribute that has it as `_inside`."""
    inner = getattr(env, "unwrapped", env)
    name = getattr(type(inner), "_inside", None)
    return innermost(getattr(inner, name)) if isinstance(name, str) and hasattr(inner, name) else inner


def takes(env: Any, name: str) -> bool:
    """Whether `reset` takes an argument of this name; True where that cannot be known."""
    try:
        parameters = inspect.signature(env.reset).parameters
    except (TypeError, ValueError):
        return True
    return name in parameters or any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())


def source_of(thing: Any) -> tuple[str, int] | None:
    """File and line of a class or function, None where its source is unknown."""
    try:
        thing = inspect.unwrap(thing)
        file = inspect.getsourcefile(thing)
        return None if file is None else (file, inspect.getsourcelines(thing)[1])
    except (TypeError, OSError, ValueError):
        return None
