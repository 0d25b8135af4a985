"""The `RescaleObservation` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType, VectorEnvLike
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_rescale_observation import RescaleObservation as Single

__all__ = ["RescaleObservation"]


class RescaleObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """A vector wrapper that rescales `Box` observations linearly from their original bounds to new bounds.

    The arguments and exceptions are the same as for `gymkernel.wrappers.RescaleObservation`.

    >>> import gymkernel as gym
    >>> envs = RescaleObservation(gym.make_vec("MountainCar-v0", 2, "sync"), -1.0, 1.0)  # doctest: +SKIP
    >>> envs.single_observation_space  # doctest: +SKIP
    Box(-1.0, 1.0, (2,), float32)
    >>> envs.reset(seed=7)[0].round(2)  # doctest: +SKIP
    array([[-0.19,  0.  ],
           [-0.26,  0.  ]], dtype=float32)
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[Any, ActType, ArrayType]) -> None: ...
