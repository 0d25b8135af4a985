"""`ClipReward` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel.protocols import ActType, ArrayType, ObsType
from gymkernel_util_wrappers.vectorized import VectorizedRewardWrapper, parameters_of
from gymkernel_wrapper_clip_reward import ClipReward as Single

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["ClipReward"]


class ClipReward(VectorizedRewardWrapper[ObsType, ActType, ArrayType]):
    """Clip the rewards of every environment between a lower and an upper bound.

    Arguments and errors are those of `gymkernel.wrappers.ClipReward`.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType]) -> None: ...
