"""`DiscretizeObservation` for vector environments."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType
from gymkernel.vector import VectorEnv, VectorizedObservationWrapper
from gymkernel.vectorized import parameters_of
from gymkernel_wrapper_discretize_observation import DiscretizeObservation as Single

__all__ = ["DiscretizeObservation"]


class DiscretizeObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """Sort every number of the observations of every environment into bins of equal width.

    Arguments and errors are those of `gymkernel.wrappers.DiscretizeObservation`.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[Any, ActType, ArrayType]) -> None: ...
