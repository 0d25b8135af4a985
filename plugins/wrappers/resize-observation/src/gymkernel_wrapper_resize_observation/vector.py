"""`ResizeObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_resize_observation import ResizeObservation as Single

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["ResizeObservation"]


class ResizeObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """Resize the images of every environment by averaging the area of each new pixel.

    The arguments and exceptions are those of `gymkernel.wrappers.ResizeObservation`.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[Any, ActType, ArrayType]) -> None: ...
