"""`NormalizeObservation`: observations with mean 0 and variance 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
"""dtype objects, which NumPy functions accept faster than types."""


class Normalizer:
    """A base class with the statistics of observations (`obs_rms`), which can be frozen, saved and restored."""

    obs_rms: RunningMeanStd
    epsilon: float
    _update_running_mean = True

    def _prepare(self, space: Any, epsilon: float) -> Box[Any]:
        """Create the statistics, and return the space of normalized observations."""
        if not epsilon > 0:
            raise InvalidBound(f"NormalizeObservation expects an epsilon above 0, got {epsilon!r}")
        if space.shape is None:
            raise ValueError(f"NormalizeObservation expects arrays of the same shape as observations, got {space}")
        self.obs_rms = RunningMeanStd(shape=space.shape)
        self.epsilon = epsilon
        return Box(-np.inf, np.inf, space.shape)

    @property
    def update_running_mean(self) -> bool:
        """Whether observations update the statistics; False freezes the statistics, for evaluation."""
        return self._update_running_mean

    @update_running_mean.setter
    def update_running_mean(self, setting: bool) -> None:
        self._update_running_mean = setting

    def state_dict(self) -> dict[str, Any]:
        """Return the statistics (mean, var and count) for `load_state_dict`."""
        return self.obs_rms.state_dict()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the statistics from the result of `state_dict`, which a single or a vector wrapper returned.

        Raises:
            KeyError: a value is missing.
            ValueError: the statistics belong to observations of another shape.
        """
        self.obs_rms.load_state_dict(state)


class NormalizeObservation(Normalizer, ObservationWrapper[NDArray[np.float32], ActType, Any], RecordConstructorArgs):
    """Subtract the mean of all observations so far, and divide by their standard deviation, number by number.

    The result depends on earlier observations. Save the statistics with the policy (`state_dict`), and freeze them when
    the policy is evaluated. The statistics use float64, and stay exact after millions of observations.

    Args:
        env: the wrapped environment; its observations are arrays or numbers.
        epsilon: a number that is added to the variance, so that a constant observation is not divided by 0.

    Raises:
        ValueError: observations are not arrays of the same shape.
        InvalidBound: `epsilon` is not above 0.

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
        if type(self) is NormalizeObservation and not hasattr(
            self, "_saved_kwargs"
        ):  # the kernel records only plain data
            RecordConstructorArgs.__init__(self, epsilon=epsilon)
        space = self._prepare(env.observation_space, epsilon)
        self.observation_space = space

    def observation(self, observation: Any) -> NDArray[np.float32]:
        """Update the statistics with the observation, and return the normalized observation."""
        statistics = self.obs_rms
        numbers = asarray(observation, FLOAT64)
        if self._update_running_mean:
            statistics.update_one(numbers)
        deviation = add(statistics.var, array(self.epsilon))
        if not numbers.ndim:
            return asarray((numbers - statistics.mean) / sqrt(deviation), FLOAT32)
        sqrt(deviation, deviation)
        normalized = subtract(numbers, statistics.mean)
        divide(normalized, deviation, normalized)
        return normalized.astype(FLOAT32)  # type: ignore[no-any-return]
