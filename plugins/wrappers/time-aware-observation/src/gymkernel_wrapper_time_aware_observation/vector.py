"""The `TimeAwareObservation` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType, VectorEnvLike
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_time_aware_observation import TimeAwareObservation as Single

__all__ = ["TimeAwareObservation"]


class TimeAwareObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """A vector wrapper that adds the number of steps since the start of the episode to observations.

    The arguments and exceptions are the same as for `gymkernel.wrappers.TimeAwareObservation`.

    Raises:
        ValueError: if the environments have different step limits.

    >>> import gymkernel as gym
    >>> envs = TimeAwareObservation(gym.make_vec("CartPole-v1", 2, "sync"))  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> envs.step([0, 1])[0][:, -1]  # doctest: +SKIP
    array([1., 1.])
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[Any, ActType, ArrayType]) -> None: ...
