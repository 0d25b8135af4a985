"""The `VectorizeTransformReward` wrapper, which applies a single-environment reward wrapper to a vector environment."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType, ObsType, VectorEnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import RewardWrapper
from gymkernel_util_wrappers.vectorized import VectorizedRewardWrapper

__all__ = ["VectorizeTransformReward"]


class VectorizeTransformReward(VectorizedRewardWrapper[ObsType, ActType, ArrayType], RecordConstructorArgs):
    """A vector wrapper that applies a single-environment `RewardWrapper` to each environment.

    A wrapper class with `batched = True` is instantiated only once and receives batches. Any other wrapper class is
    instantiated once for each environment.

    Args:
        wrapper: a class that defines `reward` and, if it stores state during an episode, also `on_reset`.
        **kwargs: keyword arguments for the wrapper's constructor, except the environment.

    Raises:
        TypeError: if `wrapper` is not a subclass of `gymkernel.RewardWrapper`.

    >>> from gymkernel import RewardWrapper
    >>> class Opposite(RewardWrapper):
    ...     def reward(self, reward):
    ...         return -reward
    >>> import gymkernel as gym
    >>> envs = VectorizeTransformReward(gym.make_vec("CartPole-v1", 2, "sync"), Opposite)  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> envs.step([0, 1])[1].tolist()  # doctest: +SKIP
    [-1.0, -1.0]
    """

    def __init__(
        self,
        env: VectorEnvLike[ObsType, ActType, ArrayType],
        wrapper: type[RewardWrapper[Any, Any]],
        **kwargs: Any,
    ) -> None:
        if not (isinstance(wrapper, type) and issubclass(wrapper, RewardWrapper)):
            raise TypeError(f"VectorizeTransformReward expects a subclass of gymkernel.RewardWrapper, got {wrapper!r}")
        RecordConstructorArgs.__init__(self, wrapper=wrapper, **kwargs)
        self.single = wrapper  # type: ignore[misc] # set on this object only
        super().__init__(env, **kwargs)
