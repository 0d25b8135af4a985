"""The `TransformReward` wrapper for vector environments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gymkernel.protocols import ActType, ArrayType, ObsType, VectorEnvLike, Where
from gymkernel_util_wrappers.vectorized import VectorizedRewardWrapper
from gymkernel_wrapper_transform_reward import TransformReward as Single
from gymkernel_wrapper_transform_reward import function, identity

__all__ = ["TransformReward"]


class _Batch(Single[Any, Any]):
    """A `TransformReward` wrapper whose function is applied to arrays of rewards."""

    batched = True


class TransformReward(VectorizedRewardWrapper[ObsType, ActType, ArrayType]):
    """A vector wrapper that applies a function to each array of rewards.

    In NEXT_STEP mode, the reward of a step that begins an episode remains 0. For a function that takes a single reward,
    use `VectorizeTransformReward(env, TransformReward, func=...)`.

    The arguments and exceptions are the same as for `gymkernel.wrappers.TransformReward`, but `func` takes and returns
    an array of shape (num_envs,).

    >>> import gymkernel as gym
    >>> envs = TransformReward(gym.make_vec("CartPole-v1", 2, "sync"), lambda rewards: -rewards)  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> envs.step([0, 1])[1]  # doctest: +SKIP
    array([-1., -1.])
    """

    single = _Batch

    def __init__(
        self,
        env: VectorEnvLike[ObsType, ActType, ArrayType],
        func: Callable[[ArrayType], ArrayType] | None = None,
        *,
        f: Callable[[ArrayType], ArrayType] | None = None,
    ) -> None:
        func = function(func, f)
        super().__init__(env, func)
        self.func = func

    def rewards(self, rewards: ArrayType, where: Where = ...) -> ArrayType:
        """Apply the function to an array of rewards."""
        func = self.func  # a local variable is faster
        return func(rewards)

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TransformReward[Any, Any, Any]]:
        """Yield an instance that `gymkernel check` tests. Its function returns the argument unchanged."""
        yield cls(env, identity)
