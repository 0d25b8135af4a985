"""The `ResizeObservation` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType, VectorEnvLike
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_resize_observation import ResizeObservation as Single

__all__ = ["ResizeObservation"]


class ResizeObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """A vector wrapper that resizes images by area averaging.

    The arguments and exceptions are the same as for `gymkernel.wrappers.ResizeObservation`.

    >>> import numpy as np
    >>> from gymkernel.spaces import Box
    >>> from gymkernel.vector import VectorEnv
    >>> class Dark(VectorEnv):
    ...     num_envs = 2
    ...     metadata = {"autoreset_mode": "NextStep"}
    ...     single_observation_space = Box(0, 255, (20, 40, 3), np.uint8)
    ...     observation_space = Box(0, 255, (2, 20, 40, 3), np.uint8)
    ...     single_action_space = action_space = None
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.zeros((2, 20, 40, 3), np.uint8), {}
    >>> ResizeObservation(Dark(), (10, 20)).reset()[0].shape
    (2, 10, 20, 3)
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[Any, ActType, ArrayType]) -> None: ...
