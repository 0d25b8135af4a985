"""`MaxAndSkipObservation` for vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gymkernel.infos import final_rows, objects, with_final
from gymkernel.protocols import ActType, ArrayType, Info, Mask, Options, Seed
from gymkernel.vector_env import AutoresetMode, VectorEnv
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel_util_wrappers.merge_steps import merge_infos
from gymkernel_wrapper_max_and_skip_observation import check

if TYPE_CHECKING:
    from gymkernel.wrapper import Where

    Results = tuple[Any, Any, Any, Any, Info]

__all__ = ["MaxAndSkipObservation"]


class MaxAndSkipObservation(VectorWrapper[NDArray[Any], ActType, NDArray[Any], ActType, ArrayType]):
    """Act `skip` times in every environment, and show the maximum of the last two observations of each.

    An environment whose episode ends does not act again in that step. Under NEXT_STEP, a step that begins an episode is
    taken once; under SAME_STEP, "final_obs" is the maximum, and the observation the first of the next episode.

    Arguments and errors are those of `gymkernel.wrappers.MaxAndSkipObservation`. The vector environment
    inside must be able to step a part of its environments (`step_masked`).
    """

    def __init__(self, env: VectorEnv[Any, ActType, ArrayType], skip: int = 4) -> None:
        number = check(skip, env.single_observation_space)
        VectorWrapper.__init__(self, env)
        self._skip = number
        mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        self._next_step = getattr(mode, "value", mode) == AutoresetMode.NEXT_STEP.value  # of another library, too
        self._all = np.ones(env.num_envs, np.bool_)
        self._ended = np.zeros(env.num_envs, np.bool_)
        """Under NEXT_STEP, whose next step begins an episode."""
        self._shown: NDArray[Any] | None = None
        """What every environment showed last."""

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[NDArray[Any], Info]:
        """Begin episodes of the environments inside; the others of a partial reset show what they showed last."""
        where: Where = ... if options is None else options.get("reset_mask", ...)
        theirs = options if options is None else {**options}  # another library takes the mask out
        observations, infos = self.env.reset(seed=seed, options=theirs)
        self._ended[where] = False
        return self._show(observations, where), infos

    def _show(self, observations: NDArray[Any], where: Where) -> NDArray[Any]:
        """The observations of some environments, and what the others showed last."""
        if where is not ... and self._shown is not None:
            observations = np.where(_rows(where, observations), observations, self._shown)
        self._shown = observations.copy()
        return observations

    def step(self, actions: ActType) -> tuple[NDArray[Any], ArrayType, ArrayType, ArrayType, Info]:
        """Act `skip` times, or until the episode ends, in every environment."""
        return self._go_on(self.env.step(actions), actions, self._all)

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[NDArray[Any], ArrayType, ArrayType, ArrayType, Info]:
        """Act `skip` times, or until the episode ends, where a mask says."""
        return self._go_on(self.env.step_masked(actions, mask), actions, mask)

    def _go_on(self, results: Any, actions: ActType, mask: Mask) -> Results:
        """The rest of a step whose first results are there."""
        shown, rewards, terminations, truncations, infos = results
        last = before = self._seen(shown, infos, terminations, truncations)
        active = mask & ~self._ended
        left = active & ~(terminations | truncations)
        for _ in range(self._skip - 1):
            number = np.count_nonzero(left)
            if not number:
                break
            if number == len(left):  # all go on: nothing is to be put together
                everyone: Results = self.env.step(actions)
                shown, more, terminations, truncations, infos = everyone
                before, last = last, self._seen(shown, infos, terminations, truncations)
                rewards, left = rewards + more, ~(terminations | truncations)
                continue
            new_results: Results = self.env.step_masked(actions, left)
            shown, more, ended, cut, new = new_results
            rows = _rows(left, last)
            before, last = np.where(rows, last, before), np.where(rows, self._seen(shown, new, ended, cut), last)
            rewards = np.where(left, rewards + more, rewards)
            terminations, truncations = np.where(left, ended, terminations), np.where(left, cut, truncations)
            infos = merge_infos(left, new, infos)
            left = left & ~(ended | cut)
        if self._next_step:
            self._ended = np.where(mask, terminations | truncations, self._ended)
        pooled = np.maximum(before, last)
        done = final_rows(self.env, infos, terminations, truncations)
        if done is not None:
            infos = with_final(infos, done, objects(len(done), dict(enumerate(pooled))))
            pooled = pooled.copy()
            pooled[done] = shown[done]
        return self._show(pooled, ... if mask is self._all else mask), rewards, terminations, truncations, infos

    def _seen(self, observations: NDArray[Any], infos: Info, terminations: Any, truncations: Any) -> NDArray[Any]:
        """Copy what the environments showed in a step; where an episode ended, take its last observation."""
        seen, rows = observations.copy(), final_rows(self.env, infos, terminations, truncations)
        if rows is not None:
            for i in np.flatnonzero(rows):
                seen[i] = infos["final_obs"][i]
        return seen


def _rows(mask: Mask, batch: NDArray[Any]) -> Mask:
    """A mask of the environments with the axes of a batch."""
    return mask.reshape(-1, *[1] * (batch.ndim - 1))
