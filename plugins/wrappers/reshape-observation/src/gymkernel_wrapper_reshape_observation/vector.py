"""The `ReshapeObservation` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from gymkernel.protocols import ActType, ArrayType, VectorEnvLike
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_reshape_observation import ReshapeObservation as Single

__all__ = ["ReshapeObservation"]


class ReshapeObservation(VectorizedObservationWrapper[NDArray[Any], ActType, NDArray[Any], ArrayType]):
    """A vector wrapper that changes the shape of each environment's `Box` observation and keeps its values in C order.

    The arguments and exceptions are the same as for `gymkernel.wrappers.ReshapeObservation`.

    >>> import gymkernel as gym
    >>> envs = ReshapeObservation(gym.make_vec("CartPole-v1", 2, "sync"), (2, 2))  # doctest: +SKIP
    >>> envs.reset(seed=7)[0].shape  # doctest: +SKIP
    (2, 2, 2)
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[NDArray[Any], ActType, ArrayType]) -> None: ...
