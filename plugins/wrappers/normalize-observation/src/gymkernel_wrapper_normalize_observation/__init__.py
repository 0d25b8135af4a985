"""The `NormalizeObservation` wrapper, which normalizes observations to mean 0 and variance 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy import add, array, asarray, divide, sqrt, subtract
from numpy.typing import NDArray

from gymkernel.error import InvalidBound
from gymkernel.protocols import ActType, EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_space_box import Box
from gymkernel_util_wrappers.running_mean_std import RunningMeanStd

__all__ = ["NormalizeObservation"]

FLOAT32, FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
"""Dtype objects, because NumPy functions are faster with these objects than with scalar types."""


class Normalizer:
    """A base class that computes statistics of observations and can save, restore and freeze the statistics."""

    statistics_dtype: ClassVar[Any] = FLOAT64
    """The dtype of the statistics. float32 is for programs whose results must equal the results with Gymnasium, such as
    programs under `gymkernel run`. Such statistics become float64 with the first observation that is not float32."""
    obs_rms: RunningMeanStd
    epsilon: float
    update_running_mean = True
    """Whether observations update the statistics. Set this to False to freeze the statistics during evaluation."""

    def _prepare(self, space: Any, epsilon: float) -> Box[Any]:
        """Create the statistics and the observation space of the wrapper, and return the space."""
        if not epsilon > 0:
            raise InvalidBound(f"NormalizeObservation expects epsilon to be positive, got {epsilon!r}")
        if space.shape is None:
            raise ValueError(f"NormalizeObservation expects observations to be arrays of the same shape, got {space}")
        self.obs_rms = RunningMeanStd(shape=space.shape, dtype=self.statistics_dtype)
        self.epsilon = epsilon
        return Box(-np.inf, np.inf, space.shape)

    def _numbers(self, observations: Any) -> NDArray[Any]:
        """Return observations in the dtype of the statistics, which become float64 if float32 is not sufficient."""
        statistics = self.obs_rms
        if statistics.dtype is not FLOAT64 and asarray(observations).dtype.char not in "ef":
            statistics.dtype = FLOAT64
            statistics.mean = statistics.mean.astype(FLOAT64)
            # In Gymnasium, the next update still multiplies the variance by the count in float32.
            statistics.var = (statistics.var * statistics.count).astype(FLOAT64) / statistics.count
        return asarray(observations, statistics.dtype)

    def state_dict(self) -> dict[str, Any]:
        """Return the statistics (`mean`, `var` and `count`) in a dictionary for `load_state_dict`."""
        return self.obs_rms.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the statistics from the result of `state_dict`, which may come from the single or vector version.

        Raises:
            KeyError: if the state lacks a required value.
            ValueError: if the statistics are for observations of a different shape.
        """
        self.obs_rms.load_state_dict(state)


class NormalizeObservation(Normalizer, ObservationWrapper[NDArray[np.float32], ActType, Any], RecordConstructorArgs):
    """A wrapper that normalizes each value of an observation with its running mean and standard deviation.

    The result depends on earlier observations. Therefore, save the statistics together with the policy (`state_dict`),
    and freeze them while you evaluate the policy. The statistics are computed in float64 and remain accurate after
    millions of observations.

    Args:
        env: the wrapped environment, whose observations must be arrays or numbers.
        epsilon: a positive number that is added to the variance to avoid a division by 0.

    Raises:
        ValueError: if observations are not arrays of the same shape.
        InvalidBound: if `epsilon` is not positive.

    >>> from gymkernel import Env
    >>> class Swings(Env):
    ...     observation_space = Box(0.0, 10.0, (1,))
    ...     time = 0
    ...
    ...     def step(self, action):
    ...         self.time += 1
    ...         return np.array([4.0 + 2 * (self.time % 2)], np.float32), 0.0, False, False, {}
    >>> env = NormalizeObservation(Swings())
    >>> [env.step(0)[0].round(1).item() for _ in range(1000)][-2:]
    [1.0, -1.0]
    >>> env.obs_rms.mean.round(2)
    array([5.])
    """

    def __init__(self, env: EnvLike[Any, ActType], epsilon: float = 1e-8) -> None:
        ObservationWrapper.__init__(self, env)
        space = self._prepare(env.observation_space, epsilon)
        self.observation_space = space

    def observation(self, observation: Any) -> NDArray[np.float32]:
        """Update the statistics with an observation, and normalize the observation."""
        statistics = self.obs_rms
        dtype = statistics.dtype
        numbers = asarray(observation, FLOAT64) if dtype is FLOAT64 else self._numbers(observation)
        if self.update_running_mean:
            statistics.update_one(numbers)
        deviation = add(statistics.var, array(self.epsilon, statistics.dtype))
        if not numbers.ndim:
            return asarray((numbers - statistics.mean) / sqrt(deviation), FLOAT32)
        sqrt(deviation, deviation)
        normalized = subtract(numbers, statistics.mean)
        divide(normalized, deviation, normalized)
        return normalized.astype(FLOAT32)  # type: ignore[no-any-return]
