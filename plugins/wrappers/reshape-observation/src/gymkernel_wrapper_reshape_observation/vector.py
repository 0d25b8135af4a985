"""`ReshapeObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gymkernel.protocols import ActType, ArrayType
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_reshape_observation import ReshapeObservation as Single

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["ReshapeObservation"]


class ReshapeObservation(VectorizedObservationWrapper[NDArray[Any], ActType, NDArray[Any], ArrayType]):
    """Reshape the observation of every environment, of a `Box`, in C order; the environments stay in front.

    Arguments and errors are those of `gymkernel.wrappers.ReshapeObservation`.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[NDArray[Any], ActType, ArrayType]) -> None: ...
