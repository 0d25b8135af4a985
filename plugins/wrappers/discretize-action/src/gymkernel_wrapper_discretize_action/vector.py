"""`DiscretizeAction` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from gymkernel.protocols import ArrayType, ObsType
from gymkernel.vector import VectorizedActionWrapper
from gymkernel.vectorized import parameters_of
from gymkernel_wrapper_discretize_action import DiscretizeAction as Single

if TYPE_CHECKING:
    from gymkernel.vector import VectorEnv

__all__ = ["DiscretizeAction"]


class DiscretizeAction(VectorizedActionWrapper[ObsType, Any, NDArray[Any], ArrayType]):
    """Cut the `Box` of actions of every environment into bins.

    Args:
        env: the vector environment inside.
        bins: the number of bins of every dimension, or a sequence with a number for each.
        multidiscrete: one number for each dimension and environment; else one for each environment.

    Raises:
        TypeError: the single action space is no Box.
        ValueError: a bound is infinite, or `bins` is not one number of at least 1, or one for each dimension.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[ObsType, NDArray[Any], ArrayType]) -> None: ...
