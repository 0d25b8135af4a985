"""`NormalizeObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gymkernel.infos import final_rows, with_final
from gymkernel.ops import batch_space
from gymkernel.protocols import ActType, ArrayType, Info, Mask, Options, Seed
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.vector_wrapper import VectorObservationWrapper
from gymkernel_wrapper_normalize_observation import Normalizer

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv
    from gymkernel.wrapper import Where

__all__ = ["NormalizeObservation"]


class NormalizeObservation(
    Normalizer, VectorObservationWrapper[NDArray[np.float32], ActType, Any, ArrayType], RecordConstructorArgs
):
    """Normalize the observations of all environments by one mean and one standard deviation, number by number.

    Every observation of every environment counts once: those of partial resets are those of the environments that were
    reset, and under SAME_STEP the last of an episode and the first of the next both count, in this order.

    Arguments and errors are those of `gymkernel.wrappers.NormalizeObservation`.
    """

    gymkernel_expected_failures: ClassVar = {"GK676": "one mean and one deviation for all environments"}

    def __init__(self, env: VectorEnv[Any, ActType, ArrayType], epsilon: float = 1e-8) -> None:
        space = self._prepare(env.single_observation_space, epsilon)
        VectorObservationWrapper.__init__(self, env)
        self.single_observation_space = space
        self.observation_space = batch_space(space, env.num_envs)

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[NDArray[np.float32], Info]:
        """Begin episodes; of a partial reset, the observations of those environments alone count."""
        where: Where = ... if options is None else options.get("reset_mask", ...)
        theirs = options if options is None else {**options}  # another library takes the mask out
        observations, infos = self.env.reset(seed=seed, options=theirs)
        return self.observations(observations, where), infos

    def step(self, actions: ActType) -> tuple[NDArray[np.float32], ArrayType, ArrayType, ArrayType, Info]:
        """Act once; the observations come normalized."""
        return self._seen(self.env.step(actions))

    def step_masked(
        self, actions: ActType, mask: Mask
    ) -> tuple[NDArray[np.float32], ArrayType, ArrayType, ArrayType, Info]:
        """Act once where a mask says; the observations of those environments alone count."""
        return self._seen(self.env.step_masked(actions, mask), mask)

    def _seen(
        self, results: Any, mask: Mask | None = None
    ) -> tuple[NDArray[np.float32], ArrayType, ArrayType, ArrayType, Info]:
        observations, rewards, terminations, truncations, infos = results
        where: Where = ... if mask is None else mask
        ended = final_rows(self.env, infos, terminations, truncations)
        if ended is not None:
            last = self.observations(self._put(observations, infos["final_obs"], ended), where)
            infos = with_final(infos, ended, self._rows(last, ended))
            where = ended
        return self.observations(observations, where), rewards, terminations, truncations, infos

    def observations(self, observations: Any, where: Where = ...) -> NDArray[np.float32]:
        """The batch, normalized after the rows that `where` names were taken into the statistics."""
        statistics = self.obs_rms
        numbers = np.asarray(observations, np.float64)
        if self._update_running_mean:
            statistics.update(numbers[where])
        normalized = numbers - statistics.mean
        normalized /= np.sqrt(statistics.var + np.array(self.epsilon))
        return normalized.astype(np.float32)  # type: ignore[no-any-return]
