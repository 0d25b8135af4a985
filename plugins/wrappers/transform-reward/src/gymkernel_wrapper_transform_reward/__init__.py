"""`TransformReward`: a function of the reward."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, SupportsFloat

from gymkernel.protocols import ActType, EnvLike, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import RewardWrapper

__all__ = ["TransformReward"]


class TransformReward(RewardWrapper[ObsType, ActType], RecordConstructorArgs):
    """Return what a function makes of the reward.

    Args:
        func: gets a reward, and returns another.
        f: another name of `func`, by keyword.

    Raises:
        TypeError: `func` cannot be called, or is given under both names.

    >>> from gymkernel import Env
    >>> class Generous(Env):
    ...     def step(self, action):
    ...         return 0, 7.0, False, False, {}
    >>> TransformReward(Generous(), lambda reward: -reward).step(0)[1]
    -7.0
    """

    def __init__(
        self,
        env: EnvLike[ObsType, ActType],
        func: Callable[[SupportsFloat], SupportsFloat] | None = None,
        *,
        f: Callable[[SupportsFloat], SupportsFloat] | None = None,
    ) -> None:
        func = function(func, f)
        RecordConstructorArgs.__init__(self, func=func)
        RewardWrapper.__init__(self, env)
        self.func = func
        self._direct = type(self).reward is TransformReward.reward

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, dict[str, Any]]:
        """Act once; the reward goes through the function."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        change = self.func if self._direct else self.reward  # a call less
        return observation, change(reward), terminated, truncated, info

    def reward(self, reward: SupportsFloat) -> SupportsFloat:
        """What the function makes of the reward."""
        func = self.func  # faster by a name of its own
        return func(reward)

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TransformReward[Any, Any]]:
        """For `gymkernel check`: with a function that changes nothing."""
        yield cls(env, unchanged)


def unchanged(reward: Any) -> Any:
    """What it is given."""
    return reward


def function(func: Any, f: Any) -> Any:
    """The function, which was given under one of its two names."""
    given = f if func is None else func
    if not callable(given) or (func is not None and f is not None):
        got = repr(given) if f is None or func is None else "both func and f, two names of one argument"
        raise TypeError(f"TransformReward expects a function of the reward, got {got}")
    return given
