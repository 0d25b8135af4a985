"""`TransformReward`: a function of the reward."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsFloat

from gymkernel import RewardWrapper
from gymkernel.protocols import ActType, ObsType
from gymkernel.utils import RecordConstructorArgs

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymkernel.protocols import EnvLike

__all__ = ["TransformReward"]


class TransformReward(RewardWrapper[ObsType, ActType], RecordConstructorArgs):
    """Return what a function makes of the reward.

    Args:
        env: the environment inside.
        func: gets a reward, and returns another.

    Raises:
        TypeError: `func` cannot be called.

    >>> from gymkernel import Env
    >>> class Generous(Env):
    ...     def step(self, action):
    ...         return 0, 7.0, False, False, {}
    >>> TransformReward(Generous(), lambda reward: -reward).step(0)[1]
    -7.0
    """

    def __init__(self, env: EnvLike[ObsType, ActType], func: Callable[[SupportsFloat], SupportsFloat]) -> None:
        if not callable(func):
            message = f"TransformReward expects a function of the reward, got {func!r}"
            raise TypeError(message)
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
