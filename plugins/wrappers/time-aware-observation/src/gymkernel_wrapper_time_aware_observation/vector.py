"""`TimeAwareObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType
from gymkernel.vector import VectorizedObservationWrapper
from gymkernel.vectorized import parameters_of
from gymkernel_wrapper_time_aware_observation import TimeAwareObservation as Single

if TYPE_CHECKING:
    from gymkernel.vector import VectorEnv

__all__ = ["TimeAwareObservation"]


class TimeAwareObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """Add the number of steps since the episode began to the observations of every environment.

    Args:
        env: the vector environment inside. Where it has a limit of steps, in its spec or by a `TimeLimit` inside of
            this wrapper or of each environment, that is the bound of the time, which has none else.
        flatten: whether the observation is flattened to a vector then.
        normalize_time: whether the time is a share of the limit, float32 from 0 to 1, and not the count, int32 (float32
            where there is no limit).
        dict_time_key: the key in observations of a `Dict`.

    Raises:
        ValueError: `normalize_time` without a limit, one that is not the same for all environments, or the key is
            taken.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[Any, ActType, ArrayType]) -> None: ...
