"""The `ClipReward` wrapper for vector environments."""

from __future__ import annotations

from gymkernel.protocols import ActType, ArrayType, ObsType, VectorEnvLike
from gymkernel_util_wrappers.vectorized import VectorizedRewardWrapper, parameters_of
from gymkernel_wrapper_clip_reward import ClipReward as Single

__all__ = ["ClipReward"]


class ClipReward(VectorizedRewardWrapper[ObsType, ActType, ArrayType]):
    """A vector wrapper that clips the rewards of all environments to an interval.

    The arguments and exceptions are the same as for `gymkernel.wrappers.ClipReward`.

    >>> import gymkernel as gym
    >>> envs = ClipReward(gym.make_vec("CartPole-v1", 2, "sync"), max_reward=0.5)  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> envs.step([0, 1])[1]  # doctest: +SKIP
    array([0.5, 0.5])
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[ObsType, ActType, ArrayType]) -> None: ...
