"""`TimeAwareObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_time_aware_observation import TimeAwareObservation as Single

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["TimeAwareObservation"]


class TimeAwareObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """Add the number of steps since the episode began to the observations of every environment.

    Arguments and errors are those of `gymkernel.wrappers.TimeAwareObservation`.

    Raises:
        ValueError: the limit of steps is not the same for all environments, besides.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[Any, ActType, ArrayType]) -> None: ...
