"""The `NormalizeObservation` wrapper for vector environments."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gymkernel.ops import batch_space
from gymkernel.protocols import ActType, ArrayType, VectorEnvLike, Where
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_wrappers.episodic import EpisodicObservationWrapper
from gymkernel_wrapper_normalize_observation import Normalizer

__all__ = ["NormalizeObservation"]


class NormalizeObservation(
    Normalizer, EpisodicObservationWrapper[NDArray[np.float32], ActType, Any, ArrayType], RecordConstructorArgs
):
    """A vector wrapper that normalizes the observations of all environments with shared statistics.

    For each value of an observation, the mean and the standard deviation are computed over all environments. Each
    observation updates the statistics exactly once. After a partial reset, only the environments that were reset update
    the statistics. In SAME_STEP mode, the final observation of an episode updates the statistics before the first
    observation of the next episode.

    The arguments and exceptions are the same as for `gymkernel.wrappers.NormalizeObservation`.

    >>> import gymkernel as gym
    >>> envs = NormalizeObservation(gym.make_vec("CartPole-v1", 2, "sync"))  # doctest: +SKIP
    >>> envs.reset(seed=7)[0].dtype  # doctest: +SKIP
    dtype('float32')
    >>> round(envs.obs_rms.count)  # doctest: +SKIP
    2
    """

    gymkernel_expected_failures: ClassVar = {"GK676": "all environments share one mean and one standard deviation"}

    def __init__(self, env: VectorEnvLike[Any, ActType, ArrayType], epsilon: float = 1e-8) -> None:
        space = self._prepare(env.single_observation_space, epsilon)
        EpisodicObservationWrapper.__init__(self, env)
        self.single_observation_space = space
        self.observation_space = batch_space(space, env.num_envs)

    def observations(self, observations: Any, where: Where = ...) -> NDArray[np.float32]:
        """Update the statistics with the observations that `where` selects, and normalize the batch."""
        statistics = self.obs_rms
        numbers = self._numbers(observations)
        if self.update_running_mean:
            statistics.update(numbers[where])
        normalized = numbers - statistics.mean
        normalized /= np.sqrt(statistics.var + np.array(self.epsilon, statistics.dtype))
        return normalized.astype(np.float32)  # type: ignore[no-any-return]
