"""`RepeatAction` for vector environments."""

from __future__ import annotations

from typing import Any

import numpy as np

from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed
from gymkernel.vector_env import AutoresetMode, VectorEnv
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel_util_wrappers.merge_steps import merge_results, step_part
from gymkernel_wrapper_repeat_action import repeats

__all__ = ["RepeatAction"]

Results = tuple[Any, Any, Any, Any, Info]


class RepeatAction(VectorWrapper[ObsType, ActType, ObsType, ActType, ArrayType]):
    """Act several times with each action in every environment; the end of an episode ends its repetition.

    Under NEXT_STEP, a step that begins an episode is taken once.

    Arguments and errors are those of `gymkernel.wrappers.RepeatAction`.

    Raises:
        UnsupportedMode: on the first step, the vector environment inside cannot step a part of its environments
            (`step_masked`).
    """

    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType], num_repeats: int) -> None:
        VectorWrapper.__init__(self, env)
        self.num_repeats = repeats(num_repeats)
        mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        self._next_step = getattr(mode, "value", mode) == AutoresetMode.NEXT_STEP.value  # of another library, too
        self._all = np.ones(env.num_envs, np.bool_)
        self._ended = np.zeros(env.num_envs, np.bool_)
        """Under NEXT_STEP, whose next step begins an episode."""

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin episodes of the environments inside."""
        results = self.env.reset(seed=seed, options=options)
        self._ended[... if options is None else options.get("reset_mask", ...)] = False
        return results

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act `num_repeats` times, or until the episode ends, in every environment."""
        results = self.env.step(actions)
        return results if self.num_repeats == 1 else self._repeated(results, actions, self._all)

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act `num_repeats` times, or until the episode ends, where a mask says."""
        results = step_part(self.env, actions, mask)
        return results if self.num_repeats == 1 else self._repeated(results, actions, mask)

    def _repeated(self, results: Any, actions: ActType, mask: Mask) -> Results:
        rewards = results[1]
        left = mask & ~(results[2] | results[3] | self._ended)
        for _ in range(self.num_repeats - 1):
            number = np.count_nonzero(left)
            if not number:
                break
            if number == len(left):  # all go on: nothing is to be put together
                results = self.env.step(actions)
                rewards = rewards + results[1]
                left = ~(results[2] | results[3])
                continue
            new: Results = step_part(self.env, actions, left)
            rewards = np.where(left, rewards + new[1], rewards)
            results = merge_results(self.env, left, new, results)
            left = left & ~(results[2] | results[3])
        if self._next_step:
            self._ended = np.where(mask, results[2] | results[3], self._ended)
        return results[0], rewards, *results[2:]
