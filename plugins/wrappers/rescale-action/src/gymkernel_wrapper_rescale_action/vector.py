"""`RescaleAction` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gymkernel.protocols import ArrayType, ObsType
from gymkernel.vector import VectorizedActionWrapper
from gymkernel.vectorized import parameters_of
from gymkernel_wrapper_rescale_action import RescaleAction as Single

if TYPE_CHECKING:
    from gymkernel.vector import VectorEnv

__all__ = ["RescaleAction"]


class RescaleAction(VectorizedActionWrapper[ObsType, NDArray[Any], NDArray[Any], ArrayType]):
    """Take actions between other bounds in every environment, and rescale them affinely to its `Box`.

    Args:
        env: the vector environment inside.
        min_action: the lower bounds of one action: a number, or an array of the shape of the single action space.
        max_action: the upper bounds.

    Raises:
        TypeError: the single action space is no Box, or a bound is no number.
        ValueError: a bound has another shape, is above the other, or is finite where the space's is infinite.
        InvalidBound: `min_action` equals `max_action` somewhere.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[ObsType, NDArray[Any], ArrayType]) -> None: ...
