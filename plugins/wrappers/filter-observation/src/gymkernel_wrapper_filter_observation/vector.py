"""`FilterObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.protocols import ActType, ArrayType
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_filter_observation import FilterObservation as Single

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

__all__ = ["FilterObservation"]


class FilterObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """Keep some parts of the observations of every environment, of a `Dict` or a `Tuple`.

    Arguments and errors are those of `gymkernel.wrappers.FilterObservation`.
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[Any, ActType, ArrayType]) -> None: ...
