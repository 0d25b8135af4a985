"""`TimeLimit`, which truncates episodes after a number of steps."""

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

__all__ = ["KEY", "TimeLimit", "step_limit"]

KEY: Final = "TimeLimit.truncated"
"""The key that is added to the info at the limit: True, or False if the task itself ended in the same step."""


class TimeLimit(Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """A wrapper that truncates episodes after a number of steps.

    At the limit, the wrapper sets `truncated`, not `terminated`, because the task has not ended, and the value of the
    final state still matters (Pardo et al., "Time Limits in Reinforcement Learning", 2018). When the limit is reached,
    the info contains the key "TimeLimit.truncated": True if the limit ended the episode, False if the task itself ended
    in the same step.

    Args:
        max_episode_steps: the number of steps after which `truncated` is True, at least 1. None to use the limit in
            `env.spec` or, if that spec has no limit, the limit registered for its id.

    Raises:
        TypeError: if `max_episode_steps` is not an integer.
        ValueError: if `max_episode_steps` is below 1, or it is None and neither spec has a limit.

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
        limit = step_limit(max_episode_steps, env)
        if limit is not max_episode_steps:
            RecordConstructorArgs.__init__(self, max_episode_steps=limit)
        Wrapper.__init__(self, env)
        self._max_episode_steps, self._elapsed_steps = limit, 0

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Step the environment. Once the limit is reached, `truncated` is True."""
        result = self.env.step(action)
        self._elapsed_steps += 1
        if self._elapsed_steps < self._max_episode_steps:
            return result
        observation, reward, terminated, _, info = result
        return observation, reward, terminated, True, {**info, KEY: not terminated}

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environment, and start counting steps."""
        self._elapsed_steps = 0
        return self.env.reset(seed=seed, options=options)

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TimeLimit[Any, Any]]:
        """Yield an instance for `gymkernel check` with a limit of a few steps."""
        yield cls(env, 3)

    def update_spec(self, spec: EnvSpec) -> EnvSpec:
        """Return the spec with its `max_episode_steps` field set, rather than with an additional wrapper."""
        limited = copy.copy(spec)
        limited.max_episode_steps = self._max_episode_steps
        return limited


def step_limit(number: Any, env: Any) -> int:
    """Return the step limit as a Python integer, because specs are written as JSON.

    Args:
        number: the constructor's `max_episode_steps`; None to use the limit in a spec.
        env: the wrapped environment. If its spec has no limit, the registered spec with the same id is used, because
            `make` removes the limit from the spec of the bare environment.

    Raises:
        TypeError: if the number is not an integer.
        ValueError: if the number is below 1, or it is None and no spec has a limit.
    """
    if number is None:
        spec = getattr(env, "spec", None)
        number = getattr(spec, "max_episode_steps", None)
        if number is None and spec is not None:
            with contextlib.suppress(error.Error, ImportError):  # the id is not registered
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
