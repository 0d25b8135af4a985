"""`GrayscaleObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_grayscale_observation import GrayscaleObservation as Single

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["GrayScaleObservation", "GrayscaleObservation"]


class GrayscaleObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """Make images of red, green and blue grey, of every environment.

    Arguments and errors are those of `gymkernel.wrappers.GrayscaleObservation`.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[Any, ActType, ArrayType]) -> None: ...


class GrayScaleObservation(GrayscaleObservation[ActType, ArrayType]):
    """Make images of red, green and blue grey, of every environment: the name of `GrayscaleObservation` in 2022.

    Arguments and errors are the same.
    """
