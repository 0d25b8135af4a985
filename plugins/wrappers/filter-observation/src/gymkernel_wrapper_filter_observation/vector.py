"""The `FilterObservation` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType, VectorEnvLike
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_filter_observation import FilterObservation as Single

__all__ = ["FilterObservation"]


class FilterObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """A vector wrapper that keeps only selected parts of `Dict` or `Tuple` observations.

    The arguments and exceptions are the same as for `gymkernel.wrappers.FilterObservation`.

    >>> import gymkernel as gym
    >>> envs = FilterObservation(gym.make_vec("grid-world/GridWorld-v0", 2, "sync"), ["agent"])  # doctest: +SKIP
    >>> envs.reset(seed=7)[0].keys()  # doctest: +SKIP
    dict_keys(['agent'])
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[Any, ActType, ArrayType]) -> None: ...
