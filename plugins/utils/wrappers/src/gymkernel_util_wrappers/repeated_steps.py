"""The class `RepeatedSteps`, a base class for vector wrappers that repeat each action."""

from __future__ import annotations

from typing import Any

import numpy as np

from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, VectorEnvLike
from gymkernel_util_wrappers.episodic import EpisodicWrapper
from gymkernel_util_wrappers.merge_steps import merge_infos, merge_observations, step_part

__all__ = ["RepeatedSteps"]


class RepeatedSteps(EpisodicWrapper[ObsType, ActType, ObsType, ActType, ArrayType]):
    """A base class for vector wrappers that repeat each action and sum the rewards.

    An environment whose episode ends skips the remaining repetitions. An environment that starts a new episode instead
    of performing an action is stepped only once.

    Args:
        env: the wrapped vector environment.
        times: how many times each action is performed.

    Raises:
        UnsupportedMode: if the wrapped vector environment has no `step_masked` method. This error is raised not by the
            constructor but by the first step in which only some of the environments have to be stepped.
    """

    def __init__(self, env: VectorEnvLike[ObsType, ActType, ArrayType], times: int) -> None:
        super().__init__(env)
        self._times = times
        self._everyone = np.ones(env.num_envs, np.bool_)

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Perform each environment's action several times, or until the episode ends."""
        return self._repeat(self.env.step(actions), actions, None)

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Perform the action of each masked environment several times, or until the episode ends."""
        return self._repeat(step_part(self.env, actions, mask), actions, mask)

    def _repeat(
        self, results: Any, actions: ActType, mask: Mask | None
    ) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Repeat the actions of the first step, and return the merged results of all steps."""
        observations, rewards, terminations, truncations, infos = results
        observations = self.observe(results, None, None)
        _, acting = self.boundaries.plan_step(mask)
        going = ~(terminations | truncations) & (self._everyone if acting is ... else acting)
        for _ in range(self._times - 1):
            number = np.count_nonzero(going)
            if not number:
                break
            if number == len(going):  # all environments were stepped, so there is nothing to merge
                results = self.env.step(actions)
                observations = self.observe(results, None, observations)
                _, more, terminations, truncations, infos = results
                rewards, going = rewards + more, ~(terminations | truncations)
                continue
            results = step_part(self.env, actions, going)
            observations = self.observe(results, going, observations)
            _, more, ended, cut, new = results
            rewards = np.where(going, rewards + more, rewards)
            terminations, truncations = np.where(going, ended, terminations), np.where(going, cut, truncations)
            infos = merge_infos(going, new, infos)
            going = going & ~(ended | cut)
        self.boundaries.finish_step(terminations, truncations, mask)
        return observations, rewards, terminations, truncations, infos

    def observe(self, results: Any, mask: Mask | None, before: Any) -> Any:
        """Return the wrapper's observations after one of the repeated steps.

        Args:
            results: the results of the step. The values of environments outside the mask are meaningless.
            mask: a mask of the environments that were stepped, or None for all environments.
            before: the previous result of this method, or None in the first step.
        """
        return results[0] if mask is None else merge_observations(self.env, mask, results[0], before)
