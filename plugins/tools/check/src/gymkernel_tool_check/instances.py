"""`Instances`, which creates the environments of a check, closes them, and announces each call."""

from __future__ import annotations

import contextlib
import math
import operator
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from gymkernel_tool_check.definition import BudgetSpent, Died, Moment, Skip
from gymkernel_tool_check.events import Facts
from gymkernel_tool_check.introspect import read, takes
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.recipe import Recipe
from gymkernel_util_spaces.texts import error_text, text_of

__all__ = ["Instances"]

UNKNOWN: Final = Recipe(note="make the environment")
START: Final = Moment("")


@dataclass
class Instances:
    """The target of a check, and the instances that the check has created.

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
        if self.live is not None:
            if second:
                raise Skip("a second instance is needed; check the id, the class or a function that creates it")
            return _usable(self.live)
        if self.make is None:
            raise Skip(f"{self.name} is not an environment")
        if self.only_instance is not None:
            if second:
                raise Skip("a second instance is needed, but --single-instance forbids it")
            return _usable(self.only_instance)
        self.at("the constructor")
        try:
            with self.catching_exit():
                env = self.make()
        except Exception as exc:
            if self.made and not second:
                return _usable(self.made[0])  # perhaps only one instance can exist, as with a robot
            second_fails = f"a second instance cannot be created: {error_text(exc)}"
            raise Skip(second_fails if self.made else "the environment cannot be created (GK001)") from exc
        self.made.append(env)
        if not callable(getattr(env, "reset", None)) or not callable(getattr(env, "step", None)):
            raise Skip("the environment has no reset and step (GK002)")
        return _usable(env)

    @property
    def only_instance(self) -> Any:
        """The environment that was created, if the options forbid creating a second one; otherwise None."""
        return self.made[0] if self.options.single_instance and self.made else None

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

    def keep(self, env: Any) -> None:
        """Register an environment to be closed at the end of the check.

        Args:
            env: an environment that was created without `env()`.
        """
        self.made.append(env)

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
        if not self.known.close_hangs:
            self.at("close")
            with contextlib.suppress(Exception), self.catching_exit():
                env.close()

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
