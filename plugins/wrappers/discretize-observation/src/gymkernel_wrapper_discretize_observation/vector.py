"""`DiscretizeObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType
from gymkernel.vector import VectorizedObservationWrapper
from gymkernel.vectorized import parameters_of
from gymkernel_wrapper_discretize_observation import DiscretizeObservation as Single

if TYPE_CHECKING:
    from gymkernel.vector import VectorEnv

__all__ = ["DiscretizeObservation"]


class DiscretizeObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """Sort every number of the observations of every environment into bins of equal width.

    Args:
        env: the vector environment inside.
        bins: how many bins a number has, or how many each number has, in C order.
        multidiscrete: whether an observation is an array with the bin of each number; otherwise it is one integer.

    Raises:
        TypeError: the single observation space is no Box.
        ValueError: a bound is infinite, or `bins` is not at least 1 each, as many as there are numbers.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[Any, ActType, ArrayType]) -> None: ...
