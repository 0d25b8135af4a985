"""`Instances`: what is checked, the calls into it, and the environments that were made of it."""

from __future__ import annotations

import contextlib
import math
import operator
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from gymkernel_tool_check.definition import BudgetSpent, Died, Moment, Skip
from gymkernel_tool_check.facts import Facts
from gymkernel_tool_check.introspect import read, takes
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.recipe import Recipe
from gymkernel_util_spaces.texts import error_text, text_of

__all__ = ["Instances"]

UNKNOWN: Final = Recipe(note="make the environment")
START: Final = Moment("")


@dataclass
class Instances:
    """A target and its instances: an environment that can be made again and again, one that exists, or another object.

    Attributes:
        name: how the user calls the target.
        kind: the kind of target: "envs", "spaces", "wrappers", "vector", "vector_wrappers", ...
        make: makes an environment, with the keyword arguments given; None where only one object exists.
        live: the one environment or space, where it cannot be made.
        object: a class, or another object, where the target is no environment.
        plugin: the entry point through which the target was found, if any.
        options: how thoroughly to look.
        recipe: how `env` or `space` is made, for reproducers.
        nondeterministic: whether the spec says that equal seeds may give different trajectories.
        found: what the report shows of the target.
        known: what the processes of the check have found out.
        made: the environments that are to be closed.
        counts: how often each phase was called.
        now: the call that is made, or was the last.
        check_deadline: by `time.perf_counter`, when the budget of the check is spent: no further call is made.
        notify: called with the moment before every call, and with the seconds that it may take if they differ.
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
        """Say what is called next, so that a hang or a crash in the call can be reported.

        What is no call into the target may take another time: `within` so many seconds.

        Args:
            phase: what is called: "step", "reset", "the constructor".
            seed: of the episode.
            episode: the number of the episode, from 1 on.
            step: the number of the step, from 1 on; 0 is the reset.
            within: seconds; None for the time-out of that phase.

        Raises:
            BudgetSpent: the call is not to be made.
        """
        self.require_time()
        self.now = Moment(phase, seed, episode, step)
        self.counts[phase] = self.counts.get(phase, 0) + 1
        if self.notify is not None:
            self.notify(self.now, within)

    def require_time(self) -> None:
        """Raise `BudgetSpent` where the budget of the check is spent."""
        if self.time_left < 0:
            raise BudgetSpent

    @property
    def time_left(self) -> float:
        """Seconds until the budget of the check is spent; infinite where there is none."""
        return self.check_deadline - time.perf_counter()

    @contextlib.contextmanager
    def catching_exit(self) -> Iterator[None]:
        """Turn an attempt of the target to end the process into `Died`."""
        try:
            yield
        except SystemExit as exc:
            raise Died(f"{self.now.phase} ended the process: sys.exit({text_of(exc.code)})", self.now) from exc

    def attempt(self, call: Callable[..., Any], *arguments: Any, **keywords: Any) -> tuple[Any, Exception | None]:
        """Return what a call returns and what it raises: one of both is None. `Skip` and `Died` are passed on.

        Args:
            call: a function, of the target or one that uses it; name it before by `at`.
            *arguments: for the function.
            **keywords: for the function.
        """
        try:
            with self.catching_exit():
                return call(*arguments, **keywords), None
        except Skip:
            raise
        except Exception as exc:  # noqa: BLE001 - whatever it raises is what is looked for
            return None, exc

    def env(self, *, second: bool = False) -> Any:
        """Return an environment to try things with: a fresh one where one can be made, else the one that exists.

        Args:
            second: the environment must be a fresh one.

        Raises:
            Skip: no environment can be made.
        """
        if self.live is not None:
            if second:
                raise Skip("needs a second instance; check the id, the class or a function that makes it")
            return _usable(self.live)
        if self.make is None:
            raise Skip(f"{self.name} is no environment")
        if self.only_instance is not None:
            if second:
                raise Skip("needs a second instance, which --single-instance forbids")
            return _usable(self.only_instance)
        self.at("the constructor")
        try:
            with self.catching_exit():
                env = self.make()
        except Exception as exc:
            if self.made and not second:
                return _usable(self.made[0])  # only one instance can exist: a robot, a port
            second_fails = f"a second instance cannot be made: {error_text(exc)}"
            raise Skip(second_fails if self.made else "it cannot be made (GK001)") from exc
        self.made.append(env)
        if not callable(getattr(env, "reset", None)) or not callable(getattr(env, "step", None)):
            raise Skip("it has no reset and step (GK002)")
        return _usable(env)

    @property
    def only_instance(self) -> Any:
        """The environment that was made, where no second one may exist beside it."""
        return self.made[0] if self.options.single_instance and self.made else None

    @property
    def first(self) -> Any:
        """An environment that exists; None where there is none."""
        return self.live if self.live is not None else next(iter(self.made), None)

    @contextlib.contextmanager
    def untracked(self) -> Iterator[None]:
        """Keep no environment that is made in this block; the block closes its environments itself."""
        count = len(self.made)
        yield
        del self.made[count:]

    def keep(self, env: Any) -> None:
        """Close this environment with the others.

        Args:
            env: what is to be closed when the check ends.
        """
        self.made.append(env)

    def close(self) -> None:
        """Close everything that was made."""
        while self.made:
            with contextlib.suppress(Died):
                self.shut(self.made.pop())

    def shut(self, env: Any) -> None:
        """Close an environment that is no longer needed, whatever it raises, unless `close` is known to hang.

        Args:
            env: what `env()` returned.
        """
        if not self.known.close_hangs:
            self.at("close")
            with contextlib.suppress(Exception), self.catching_exit():
                env.close()

    def close_error(self, env: Any) -> Exception | None:
        """Return what `close` of an environment raises.

        Args:
            env: what `env()` returned.

        Raises:
            Skip: `close` is known to hang.
        """
        if self.known.close_hangs:
            raise Skip("close does not return (GK003)")
        self.at("close")
        return self.attempt(operator.methodcaller("close"), env)[1]


def _usable(env: Any) -> Any:
    """Remove wrappers that would pass on arguments which the environment inside does not take (GK201)."""
    inner = read(env, "unwrapped", env)
    if inner is env or all(takes(inner, name) for name in ("seed", "options")):
        return env
    return inner
