"""The `FlattenObservation` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType, VectorEnvLike
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_flatten_observation import FlattenObservation as Single

__all__ = ["FlattenObservation"]


class FlattenObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """A vector wrapper that flattens the observation of each environment into a vector.

    The arguments and exceptions are the same as for `gymkernel.wrappers.FlattenObservation`.

    >>> import gymkernel as gym
    >>> envs = FlattenObservation(gym.make_vec("Blackjack-v1", 2, "sync"))  # doctest: +SKIP
    >>> envs.reset(seed=7)[0].shape  # doctest: +SKIP
    (2, 45)
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[Any, ActType, ArrayType]) -> None: ...
