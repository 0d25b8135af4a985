"""The `ClipReward` wrapper, which clips rewards to an interval."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, SupportsFloat

import numpy as np
from numpy import float64

from gymkernel.error import InvalidBound
from gymkernel.protocols import ActType, EnvLike, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import RewardWrapper

__all__ = ["ClipReward"]


class ClipReward(RewardWrapper[ObsType, ActType], RecordConstructorArgs):
    """A wrapper that clips rewards to an interval. For example, the DQN of Mnih et al. (2015) clips rewards to [-1, 1].

    Args:
        min_reward: the lower bound, or None for no lower bound.
        max_reward: the upper bound, or None for no upper bound.

    Raises:
        InvalidBound: if both bounds are None, if the lower bound is greater than the upper bound, or if a bound is NaN.

    >>> from gymkernel import Env
    >>> class Generous(Env):
    ...     def reset(self, *, seed=None, options=None):
    ...         return 0, {}
    ...
    ...     def step(self, action):
    ...         return 0, 7.0, False, False, {}
    >>> env = ClipReward(Generous(), -1.0, 1.0)
    >>> _ = env.reset()
    >>> env.step(0)[1]
    np.float64(1.0)
    """

    batched = True

    def __init__(
        self, env: EnvLike[ObsType, ActType], min_reward: float | None = None, max_reward: float | None = None
    ) -> None:
        if min_reward is None and max_reward is None:
            message = "ClipReward expects min_reward, max_reward, or both, got neither; nothing would be clipped"
            raise InvalidBound(message)
        low = -math.inf if min_reward is None else min_reward
        high = math.inf if max_reward is None else max_reward
        plain = isinstance(low, (int, float)) and isinstance(high, (int, float))  # faster than a union type
        if not (low <= high if plain else np.all(np.less_equal(low, high))):
            raise InvalidBound(f"ClipReward expects min_reward <= max_reward, got {min_reward!r} and {max_reward!r}")
        RewardWrapper.__init__(self, env)
        self.min_reward, self.max_reward = min_reward, max_reward
        self._low, self._high = low, high
        self._direct = plain and type(self).reward is ClipReward.reward
        self._ends: Any = (np.float64(low), np.float64(high)) if plain else None

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, dict[str, Any]]:
        """Step the environment, and return the clipped reward as a NumPy float."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if type(reward) is not float or not self._direct:
            reward = self.reward(reward)
        elif reward < self._low:  # avoids calling `reward`
            reward = self._ends[0]
        elif reward > self._high:
            reward = self._ends[1]
        else:
            reward = float64(reward)
        return observation, reward, terminated, truncated, info

    def reward(self, reward: Any) -> Any:
        """Clip a reward or an array of rewards."""
        if isinstance(reward, np.ndarray):
            return reward.clip(self._low, self._high)  # this is faster than np.clip
        return np.clip(reward, self.min_reward, self.max_reward)

    func = property(lambda self: self.reward, doc="An alias of `reward`.")

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[ClipReward[Any, Any]]:
        """Yield an instance that `gymkernel check` tests. Its bounds are narrow enough to clip typical rewards."""
        yield cls(env, -1.0, 2.0)
