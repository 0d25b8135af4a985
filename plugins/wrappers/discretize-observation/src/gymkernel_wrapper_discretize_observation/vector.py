"""The `DiscretizeObservation` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType, VectorEnvLike
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_discretize_observation import DiscretizeObservation as Single

__all__ = ["DiscretizeObservation"]


class DiscretizeObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """A vector wrapper that replaces each value of bounded `Box` observations with the index of a bin.

    The arguments and exceptions are the same as for `gymkernel.wrappers.DiscretizeObservation`.

    >>> import gymkernel as gym
    >>> envs = DiscretizeObservation(gym.make_vec("MountainCar-v0", 2, "sync"), bins=4)  # doctest: +SKIP
    >>> envs.single_observation_space  # doctest: +SKIP
    Discrete(16)
    >>> envs.reset(seed=7)[0]  # doctest: +SKIP
    array([6, 6])
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[Any, ActType, ArrayType]) -> None: ...
