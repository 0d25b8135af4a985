"""`TransformReward` for vector environments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType, ObsType
from gymkernel_util_wrappers.vectorized import VectorizedRewardWrapper
from gymkernel_wrapper_transform_reward import TransformReward as Single
from gymkernel_wrapper_transform_reward import function, unchanged

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv
    from gymkernel.wrapper import Where

__all__ = ["TransformReward"]


class _Batch(Single[Any, Any]):
    """The same, of which the function takes a batch."""

    batched = True


class TransformReward(VectorizedRewardWrapper[ObsType, ActType, ArrayType]):
    """Return what a function makes of the batch of rewards.

    Under NEXT_STEP, the step that begins an episode has no reward to transform: it stays 0. For a function of one
    reward there is `VectorizeTransformReward(env, TransformReward, func=...)`.

    Arguments and errors are those of `gymkernel.wrappers.TransformReward`; `func` gets the rewards, an array of shape
    (num_envs,), and returns others.
    """

    single = _Batch

    def __init__(
        self,
        env: VectorEnv[ObsType, ActType, ArrayType],
        func: Callable[[ArrayType], ArrayType] | None = None,
        *,
        f: Callable[[ArrayType], ArrayType] | None = None,
    ) -> None:
        func = function(func, f)
        super().__init__(env, func)
        self.func = func

    def rewards(self, rewards: ArrayType, where: Where = ...) -> ArrayType:
        """What the function makes of the batch."""
        func = self.func  # faster by a name of its own
        return func(rewards)

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TransformReward[Any, Any, Any]]:
        """For `gymkernel check`: with a function that changes nothing."""
        yield cls(env, unchanged)
