"""`Description`: what is checked, as far as that is known before it is made; `Instances`: making and closing it."""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from gymkernel_tool_check.calls import Calls
from gymkernel_tool_check.definition import Died, Moment, Skip
from gymkernel_tool_check.introspect import read, takes
from gymkernel_tool_check.options import Options
from gymkernel_tool_check.recipe import Recipe
from gymkernel_util_spaces.texts import error_text

__all__ = ["Description", "Instances"]

UNKNOWN: Final = Recipe(note="make the environment")


@dataclass
class Description:
    """What is checked: an environment that can be made again and again, one that is there, or another object.

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


@dataclass(slots=True)
class Instances:
    """The environments that were made of what is described.

    Attributes:
        about: what makes them.
        calls: is told of each call of the constructor and of `close`.
        made: those that are to be closed.
        leaves: whether `close` hangs, so that what was made is left as it is.
    """

    about: Description
    calls: Calls
    made: list[Any] = field(default_factory=list)
    close_hangs: bool = False

    def env(self, *, second: bool = False) -> Any:
        """An environment: a fresh one where it can be made, else the one that there is.

        Args:
            second: it must be a fresh one.

        Raises:
            Skip: it cannot be made.
        """
        about = self.about
        if about.live is not None:
            if second:
                raise Skip("needs a second instance; check the id, the class or a function that makes it")
            return _usable(about.live)
        if about.make is None:
            raise Skip(f"{about.name} is no environment")
        if self.only_instance is not None:
            if second:
                raise Skip("needs a second instance, which --single-instance forbids")
            return _usable(self.only_instance)
        self.calls.at(Moment("the constructor"))
        try:
            with self.calls.catching_exit():
                env = about.make()
        except Exception as exc:
            if self.made and not second:
                return _usable(self.made[0])  # there can be but one: a robot, a port
            second_fails = f"a second instance cannot be made: {error_text(exc)}"
            raise Skip(second_fails if self.made else "it cannot be made (GK001)") from exc
        self.made.append(env)
        if not callable(getattr(env, "reset", None)) or not callable(getattr(env, "step", None)):
            raise Skip("it has no reset and step (GK002)")
        return _usable(env)

    @property
    def only_instance(self) -> Any:
        """The environment that was made, where there is to be no second one beside it."""
        return self.made[0] if self.about.options.single_instance and self.made else None

    @property
    def first(self) -> Any:
        """An environment that is there, None where there is none."""
        return self.about.live if self.about.live is not None else next(iter(self.made), None)

    @contextlib.contextmanager
    def untracked(self) -> Iterator[None]:
        """Keep nothing that is made in this block: it closes that itself."""
        count = len(self.made)
        yield
        del self.made[count:]

    def close(self) -> None:
        """Close everything that was made."""
        while self.made:
            with contextlib.suppress(Died):
                self.shut(self.made.pop())

    def shut(self, env: Any) -> None:
        """Close an environment that is no longer needed, whatever it raises; not where `close` is known to hang."""
        if not self.close_hangs:
            self.calls.at(Moment("close"))
            with contextlib.suppress(Exception), self.calls.catching_exit():
                env.close()

    def close_error(self, env: Any) -> Exception | None:
        """What `close` of an environment raises.

        Raises:
            Skip: `close` is known to hang.
        """
        if self.close_hangs:
            raise Skip("close does not return (GK003)")
        self.calls.at(Moment("close"))
        return self.calls.attempt(operator.methodcaller("close"), env)[1]


def _usable(env: Any) -> Any:
    """Without its wrappers where they would pass on arguments that the environment inside does not take (GK201)."""
    inner = read(env, "unwrapped", env)
    if inner is env or all(takes(inner, name) for name in ("seed", "options")):
        return env
    return inner
