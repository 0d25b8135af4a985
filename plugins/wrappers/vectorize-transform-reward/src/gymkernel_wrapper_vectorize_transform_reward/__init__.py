"""`VectorizeTransformReward`: a wrapper of one environment's rewards, around a vector environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import RewardWrapper
from gymkernel_util_wrappers.vectorized import VectorizedRewardWrapper

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["VectorizeTransformReward"]


class VectorizeTransformReward(VectorizedRewardWrapper[ObsType, ActType, ArrayType], RecordConstructorArgs):
    """Let an `RewardWrapper` change the reward of every environment.

    One that says `batched = True` is called once with the whole batch; of any other, every environment has its own.

    Args:
        wrapper: the class; it defines `reward`, and where it remembers something of the episode, `on_reset`.
        **kwargs: for the wrapper, besides its environment.

    Raises:
        TypeError: `wrapper` is no subclass of `gymkernel.RewardWrapper`.

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
        env: VectorEnv[ObsType, ActType, ArrayType],
        wrapper: type[RewardWrapper[Any, Any]],
        **kwargs: Any,
    ) -> None:
        if not (isinstance(wrapper, type) and issubclass(wrapper, RewardWrapper)):
            raise TypeError(f"VectorizeTransformReward expects a subclass of gymkernel.RewardWrapper, got {wrapper!r}")
        RecordConstructorArgs.__init__(self, wrapper=wrapper, **kwargs)
        self.single = wrapper  # type: ignore[misc] # of this object alone
        super().__init__(env, **kwargs)
