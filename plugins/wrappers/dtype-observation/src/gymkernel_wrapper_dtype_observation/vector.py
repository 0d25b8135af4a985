"""The `DtypeObservation` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType, VectorEnvLike
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_dtype_observation import DtypeObservation as Single

__all__ = ["DtypeObservation"]


class DtypeObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """A vector wrapper that casts observations to another dtype.

    The arguments and exceptions are the same as for `gymkernel.wrappers.DtypeObservation`.

    >>> import gymkernel as gym
    >>> envs = DtypeObservation(gym.make_vec("CartPole-v1", 2, "sync"), "float64")  # doctest: +SKIP
    >>> envs.reset(seed=7)[0].dtype  # doctest: +SKIP
    dtype('float64')
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[Any, ActType, ArrayType]) -> None: ...
