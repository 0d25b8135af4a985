"""The `TimeLimit` wrapper, which truncates episodes after a number of steps."""

from __future__ import annotations

import contextlib
import copy
import operator
from collections.abc import Iterator
from typing import Any, ClassVar, Final, SupportsFloat

from gymkernel import error, registration
from gymkernel.protocols import ActType, EnvLike, Info, ObsType, Options
from gymkernel.specs import EnvSpec
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper

__all__ = ["KEY", "TimeLimit", "limit_info", "step_limit"]

KEY: Final = "TimeLimit.truncated"
"""The info key under which the wrapper reports whether the limit, and not the task itself, ended an episode."""


class TimeLimit(Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """A wrapper that truncates episodes after a number of steps.

    When the limit is reached, the wrapper sets `truncated` rather than `terminated`, because the task has not ended and
    the value of the final state is still needed (Pardo et al., "Time Limits in Reinforcement Learning", 2018). The
    wrapper also adds the key "TimeLimit.truncated" to the info. The value is True if the limit ended the episode, and
    False if the task itself ended in the same step.

    Args:
        max_episode_steps: the number of steps after which `truncated` is True, at least 1. None means the limit in
            `env.spec` or, if this spec has no limit, the limit that is registered for its id.

    Raises:
        TypeError: if `max_episode_steps` is not an integer.
        ValueError: if `max_episode_steps` is less than 1, or if it is None and there is no limit in a spec.

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

    adds_key: ClassVar[bool] = True
    """Whether infos get the key "TimeLimit.truncated". `gymkernel run` sets this to False, because Gymnasium's infos do
    not have the key."""

    def __init__(self, env: EnvLike[ObsType, ActType], max_episode_steps: int | None = None) -> None:
        limit = step_limit(max_episode_steps, env)
        if limit is not max_episode_steps:
            RecordConstructorArgs.__init__(self, max_episode_steps=limit)
        Wrapper.__init__(self, env)
        self._max_episode_steps, self._elapsed_steps = limit, 0

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Step the environment. If the limit is reached, set `truncated` to True."""
        result = self.env.step(action)
        self._elapsed_steps += 1
        if self._elapsed_steps < self._max_episode_steps:
            return result
        observation, reward, terminated, _, info = result
        return observation, reward, terminated, True, {**info, **limit_info(not terminated)}

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environment and the step count."""
        self._elapsed_steps = 0
        return self.env.reset(seed=seed, options=options)

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TimeLimit[Any, Any]]:
        """Yield an instance that `gymkernel check` tests. Its limit is only a few steps."""
        yield cls(env, 3)

    def update_spec(self, spec: EnvSpec) -> EnvSpec:
        """Set the field `max_episode_steps` of the spec instead of adding this wrapper to the spec."""
        limited = copy.copy(spec)
        limited.max_episode_steps = self._max_episode_steps
        return limited


def limit_info(is_by_limit: Any) -> dict[str, Any]:
    """Return the entry to add to the info of a step that reaches the limit, as a dictionary.

    Args:
        is_by_limit: whether the limit, and not the task itself, ended the episode, or a mask for several episodes.
    """
    return {KEY: is_by_limit} if TimeLimit.adds_key else {}


def step_limit(number: Any, env: Any) -> int:
    """Determine the step limit, and return it as a Python integer, which JSON can represent.

    Args:
        number: the argument `max_episode_steps` of the constructor. None means the limit in a spec.
        env: the wrapped environment. If its spec has no limit, the registered spec with the same id is used, because
            `make` removes the limit from the spec of the bare environment.

    Raises:
        TypeError: if the number is not an integer.
        ValueError: if the number is less than 1, or if it is None and there is no limit in a spec.
    """
    if number is None:
        spec = getattr(env, "spec", None)
        number = getattr(spec, "max_episode_steps", None)
        if number is None and spec is not None:
            with contextlib.suppress(error.Error, ImportError):  # the id is not registered
                number = registration.spec(spec.id).max_episode_steps
        if number is None:
            why = (
                f"{env} has no spec"
                if spec is None
                else f"neither the spec of {env} nor the registered spec of {spec.id} has a limit"
            )
            raise ValueError(f"TimeLimit expects a number for max_episode_steps, because {why}")
    message = f"TimeLimit expects max_episode_steps to be an integer of at least 1, got {number!r}"
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise TypeError(message)
    if number < 1:
        raise ValueError(message)
    return operator.index(number)
