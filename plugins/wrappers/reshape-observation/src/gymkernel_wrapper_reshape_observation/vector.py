"""`ReshapeObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gymkernel.protocols import ActType, ArrayType
from gymkernel.vector import VectorizedObservationWrapper
from gymkernel.vectorized import parameters_of
from gymkernel_wrapper_reshape_observation import ReshapeObservation as Single

if TYPE_CHECKING:
    from gymkernel.vector import VectorEnv

__all__ = ["ReshapeObservation"]


class ReshapeObservation(VectorizedObservationWrapper[NDArray[Any], ActType, NDArray[Any], ArrayType]):
    """Reshape the observation of every environment, of a `Box`, in C order; the environments stay in front.

    Args:
        env: the vector environment inside.
        shape: the shape of one observation, with as many elements as before.

    Raises:
        TypeError: the single observation space is no Box.
        ValueError: the number of elements differs, or a length is no integer of at least 0.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[NDArray[Any], ActType, ArrayType]) -> None: ...
