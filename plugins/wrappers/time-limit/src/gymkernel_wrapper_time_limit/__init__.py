"""`TimeLimit`: end episodes after a number of steps."""

from __future__ import annotations

import contextlib
import copy
import operator
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, SupportsFloat

from gymkernel import error, registration
from gymkernel.protocols import ActType, EnvLike, Info, ObsType, Options
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper

if TYPE_CHECKING:
    from gymkernel.specs import EnvSpec

__all__ = ["KEY", "TimeLimit", "steps"]

KEY: Final = "TimeLimit.truncated"
"""In the info of a step at the limit: whether it is the limit that ends the episode, and not the task."""


class TimeLimit(Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """Truncate an episode that has run for a number of steps.

    `truncated`, not `terminated`: the state at the limit is no end of the task, and its value still counts
    (Pardo et al., "Time Limits in Reinforcement Learning", 2018). The info of a step at the limit has the key
    "TimeLimit.truncated", as it had in 2022: False where the task has ended in that step, True else.

    Args:
        max_episode_steps: steps after which `truncated` is True, at least 1; None for the limit in `env.spec`, or else
            the limit that is registered for the id of that spec.

    Raises:
        TypeError: `max_episode_steps` is no integer.
        ValueError: `max_episode_steps` is below 1, or it is None and neither spec has a limit.

    >>> from gymkernel import Env
    >>> class Endless(Env):
    ...     def reset(self, *, seed=None, options=None):
    ...         return 0, {}
    ...
    ...     def step(self, action):
    ...         return 0, 1.0, False, False, {}
    >>> env = TimeLimit(Endless(), max_episode_steps=2)
    >>> _ = env.reset()
    >>> [env.step(0)[3] for _ in range(2)]
    [False, True]
    >>> env.reset(), env.step(0), env.step(0)[4]
    ((0, {}), (0, 1.0, False, False, {}), {'TimeLimit.truncated': True})
    """

    def __init__(self, env: EnvLike[ObsType, ActType], max_episode_steps: int | None = None) -> None:
        limit = steps(max_episode_steps, env)
        if limit is not max_episode_steps:
            RecordConstructorArgs.__init__(self, max_episode_steps=limit)
        Wrapper.__init__(self, env)
        self._max_episode_steps, self._elapsed_steps = limit, 0

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Act once; `truncated` is True from the last step that the limit allows."""
        result = self.env.step(action)
        self._elapsed_steps += 1
        if self._elapsed_steps < self._max_episode_steps:
            return result
        observation, reward, terminated, _, info = result
        return observation, reward, terminated, True, {**info, KEY: not terminated}

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin an episode and the count of its steps."""
        self._elapsed_steps = 0
        return self.env.reset(seed=seed, options=options)

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TimeLimit[Any, Any]]:
        """For `gymkernel check`: with a limit of a few steps, whatever the spec of the environment has."""
        yield cls(env, 3)

    def update_spec(self, spec: EnvSpec) -> EnvSpec:
        """The limit is a field of a spec, and no additional wrapper."""
        limited = copy.copy(spec)
        limited.max_episode_steps = self._max_episode_steps
        return limited


def steps(number: Any, env: Any) -> int:
    """Return a number of steps as a Python integer (a spec is written as JSON); for None, that of a spec.

    Args:
        number: what the constructor was given.
        env: the environment inside, with the spec that is asked, and the id for which another spec is registered: the
            spec of a bare environment that `make` created has no limit of its own.

    Raises:
        TypeError: the number is no integer.
        ValueError: the number is below 1, or it is None and no spec has a limit.
    """
    if number is None:
        spec = getattr(env, "spec", None)
        number = getattr(spec, "max_episode_steps", None)
        if number is None and spec is not None:
            with contextlib.suppress(error.Error, ImportError):  # nobody has registered the id
                number = registration.spec(spec.id).max_episode_steps
        if number is None:
            why = (
                f"{env} has no spec" if spec is None else f"neither the spec of {env} nor that of {spec.id} has a limit"
            )
            raise ValueError(f"TimeLimit expects max_episode_steps, since {why}; pass a number of steps")
    message = f"TimeLimit expects max_episode_steps to be an integer of at least 1, got {number!r}"
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(message)
    if number < 1:
        raise ValueError(message)
    return operator.index(number)
