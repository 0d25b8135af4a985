"""`RescaleObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_rescale_observation import RescaleObservation as Single

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["RescaleObservation"]


class RescaleObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """Map the observations of every environment, of a `Box`, onto other bounds.

    Arguments and errors are those of `gymkernel.wrappers.RescaleObservation`.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[Any, ActType, ArrayType]) -> None: ...
