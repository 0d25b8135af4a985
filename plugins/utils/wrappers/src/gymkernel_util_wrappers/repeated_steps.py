"""`RepeatedSteps`: base of vector wrappers that act several times with each action."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType
from gymkernel_util_wrappers.episodic import EpisodicWrapper
from gymkernel_util_wrappers.merge_steps import merge_infos, merge_observations, step_part

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv

    Results = tuple[Any, Any, Any, Any, Info]

__all__ = ["RepeatedSteps"]


class RepeatedSteps(EpisodicWrapper[ObsType, ActType, ObsType, ActType, ArrayType]):
    """Base of vector wrappers that act several times with each action, and sum the rewards.

    The end of an episode ends the repetition in its environment. An environment that begins an episode instead of
    acting is stepped once.

    Args:
        env: the vector environment inside.
        times: how often each action is taken.

    Raises:
        UnsupportedMode: on the first step in which not all environments act, the vector environment inside cannot step
            a part of its environments (`step_masked`).
    """

    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType], times: int) -> None:
        super().__init__(env)
        self._times = times
        self._everyone = np.ones(env.num_envs, np.bool_)

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act several times, or until the episode ends, in every environment."""
        return self._repeat(self.env.step(actions), actions, None)

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act several times, or until the episode ends, in the environments that a mask names."""
        return self._repeat(step_part(self.env, actions, mask), actions, mask)

    def _repeat(self, results: Any, actions: ActType, mask: Mask | None) -> Any:
        """Return the results of a step; those of the first time are there already."""
        observations, rewards, terminations, truncations, infos = results
        observations = self.observe(results, None, None)
        _, acting = self.boundaries.plan_step(mask)
        going = ~(terminations | truncations) & (self._everyone if acting is ... else acting)
        for _ in range(self._times - 1):
            number = np.count_nonzero(going)
            if not number:
                break
            if number == len(going):  # nothing has to be put together
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
        """Return the observations after environments acted.

        Args:
            results: of these environments; the rows of the other environments mean nothing.
            mask: the environments that acted after the first time; None for all.
            before: what this method returned before; None the first time.
        """
        return results[0] if mask is None else merge_observations(self.env, mask, results[0], before)
