"""The `MaxAndSkipObservation` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gymkernel.infos import final_rows, objects, with_final
from gymkernel.protocols import ActType, ArrayType, Info, Mask, Options, Seed, VectorEnvLike, Where
from gymkernel_util_wrappers.merge_steps import merge_observations
from gymkernel_util_wrappers.repeated_steps import RepeatedSteps
from gymkernel_wrapper_max_and_skip_observation import check

__all__ = ["MaxAndSkipObservation"]


class MaxAndSkipObservation(RepeatedSteps[NDArray[Any], ActType, ArrayType]):
    """A vector wrapper that repeats each action and returns the maximum of the last two observations.

    If an episode ends, the remaining repetitions are skipped in its environment. In NEXT_STEP mode, a step that begins
    an episode is not repeated. In SAME_STEP mode, the maximum is stored under "final_obs" when an episode ends, and the
    returned observation is the first observation of the next episode.

    The arguments and exceptions are the same as for `gymkernel.wrappers.MaxAndSkipObservation`. The wrapped vector
    environment must define `step_masked`, because the number of repetitions may differ between environments.

    >>> import gymkernel as gym
    >>> envs = MaxAndSkipObservation(gym.make_vec("CartPole-v1", 2, "sync"), skip=4)  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> envs.step([0, 1])[1]  # doctest: +SKIP
    array([4., 4.])
    """

    def __init__(self, env: VectorEnvLike[Any, ActType, ArrayType], skip: int = 4) -> None:
        super().__init__(env, check(skip, env.single_observation_space))
        self._before: NDArray[Any]
        self._last: NDArray[Any]
        """The last observation of each environment in the current step. `_before` contains the previous observation."""
        self._shown: NDArray[Any] | None = None
        """The last observation that was returned for each environment."""

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[NDArray[Any], Info]:
        """Reset all or some environments. All others return their most recent observation again."""
        (observations, infos), where = self.reset_inside(seed, options)
        return self._show(observations, where), infos

    def _show(self, observations: NDArray[Any], where: Where) -> NDArray[Any]:
        """Return the new observations of the given environments and the most recent observations of all others."""
        if where is not ... and self._shown is not None:
            observations = merge_observations(self.env, where, observations, self._shown)
        self._shown = observations.copy()
        return observations

    def _repeat(self, results: Any, actions: ActType, mask: Mask | None) -> Any:
        shown, rewards, terminations, truncations, infos = super()._repeat(results, actions, mask)
        pooled = np.maximum(self._before, self._last)
        ended = final_rows(self.env, infos, terminations, truncations)
        if ended is not None:
            infos = with_final(infos, ended, objects(len(ended), dict(enumerate(pooled))))
            pooled = pooled.copy()
            pooled[ended] = shown[ended]
        return self._show(pooled, ... if mask is None else mask), rewards, terminations, truncations, infos

    def observe(self, results: Any, mask: Mask | None, before: Any) -> Any:
        """Store copies of the last two observations. If an episode ended, use its final observation in the infos."""
        observations, _, terminations, truncations, infos = results
        ended = final_rows(self.env, infos, terminations, truncations)
        seen = (
            observations if mask is not None and ended is None else observations.copy()
        )  # if the copy is not made here, merging makes one
        if ended is not None:
            for i in np.flatnonzero(ended):
                seen[i] = infos["final_obs"][i]
        if mask is None:
            self._before = seen if before is None else self._last
        else:
            self._before = merge_observations(self.env, mask, self._last, self._before)
            seen = merge_observations(self.env, mask, seen, self._last)
        self._last = seen
        return observations  # the rows of environments that were not stepped contain the previous observations
