"""`TimeLimit` for vector environments."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from gymkernel.infos import batch_infos, info_of
from gymkernel.ops import iterate
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.vector_env import AutoresetMode, VectorEnv
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel_util_wrappers.merge_steps import merge_infos, merge_observations, step_part, with_final_info
from gymkernel_wrapper_time_limit import KEY, steps

__all__ = ["TimeLimit"]

Results = tuple[Any, Any, Any, Any, Info]


class TimeLimit(VectorWrapper[ObsType, ActType, ObsType, ActType, ArrayType], RecordConstructorArgs):
    """Truncate the episodes that have run for a number of steps, and begin the next ones as the environments inside do.

    Under NEXT_STEP the step after resets, under SAME_STEP the same step (with the last observation in the infos, under
    `final_obs`), under DISABLED the caller. The infos of a step in which some reach the limit have for them, under
    "TimeLimit.truncated", False where the task has ended in that step, and True else.

    Arguments and errors are those of `gymkernel.wrappers.TimeLimit`. Unless it is DISABLED, the vector environment
    inside must be able to reset a part of its environments, and under NEXT_STEP to step a part of them (`step_masked`).

    Raises:
        UnsupportedMode: in a step that resets some and not others, where the vector environment cannot do that.
    """

    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType], max_episode_steps: int | None = None) -> None:
        limit = steps(max_episode_steps, env)
        RecordConstructorArgs.__init__(self, max_episode_steps=limit)
        VectorWrapper.__init__(self, env)
        self._max_episode_steps = limit
        mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        self._mode = AutoresetMode(getattr(mode, "value", mode))  # of another library, too
        self._elapsed_steps = np.zeros(self.num_envs, np.int64)
        self._ended, self._cut = np.zeros(self.num_envs, np.bool_), np.zeros(self.num_envs, np.bool_)
        """Under NEXT_STEP: whose next step resets, by itself and by this wrapper."""
        self._quiet = self._span = 0
        """For how many steps nobody can reach the limit, of how many that began with nobody's next step a reset."""

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin episodes, and the counts of their steps."""
        results = self.env.reset(seed=seed, options=options)
        where = ... if options is None else options.get("reset_mask", ...)
        self._count()
        for state in (self._elapsed_steps, self._ended, self._cut):
            state[where] = 0
        return results

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TimeLimit[Any, Any, Any]]:
        """For `gymkernel check`: with a limit of a few steps, whatever the spec of the environments has."""
        yield cls(env, 3)

    def _count(self) -> None:
        """Add the steps of a quiet time, which are not counted one by one."""
        if self._span:
            self._elapsed_steps = self._elapsed_steps + (self._span - self._quiet)
        self._quiet = self._span = 0

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once; `truncations` is True for those that reach the limit."""
        if self._quiet:
            results: Results = self.env.step(actions)
            self._quiet -= 1
            if np.count_nonzero(results[2]) or np.count_nonzero(results[3]):
                self._over(results[2] | results[3])
            return results
        self._count()
        results = self._limited(actions, np.ones(self.num_envs, np.bool_), whole=True)
        if not (self._ended.any() or self._cut.any()):
            self._quiet = self._span = max(0, self._max_episode_steps - 1 - int(self._elapsed_steps.max()))
        return results

    def _over(self, done: Mask) -> None:
        """Some episodes ended before the limit."""
        if self._mode is AutoresetMode.NEXT_STEP:
            self._count()
            self._ended = done
        elif self._mode is AutoresetMode.SAME_STEP:
            self._elapsed_steps[done] = self._quiet - self._span  # 0 when the quiet time is counted

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once where a mask says."""
        self._count()
        return self._limited(actions, mask, whole=False)

    def _limited(self, actions: Any, mask: Mask, *, whole: bool) -> Results:
        due = self._cut & mask
        if due.any():
            results = self._reset_some(actions, due, mask & ~due)
        elif whole:
            results = self.env.step(actions)
        else:
            results = step_part(self.env, actions, mask)
        began = (self._ended | self._cut) & mask
        self._elapsed_steps = np.where(began, 0, self._elapsed_steps + mask)
        reached = mask & ~began & (self._elapsed_steps >= self._max_episode_steps)
        observations, rewards, terminations, truncations, infos = results
        done = (terminations | truncations) & mask
        cut = reached & ~done
        if np.count_nonzero(reached):
            infos = self._told(infos, reached, done, ~terminations)
        if self._mode is AutoresetMode.NEXT_STEP:
            self._ended, self._cut = np.where(mask, done, self._ended), np.where(mask, cut, self._cut)
        elif self._mode is AutoresetMode.SAME_STEP:
            self._elapsed_steps[done | cut] = 0
            if cut.any():
                observations, infos = self._begun(observations, infos, cut)
        return observations, rewards, terminations, truncations | reached, infos

    def _told(self, infos: dict[str, Any], reached: Mask, done: Mask, by_limit: Mask) -> dict[str, Any]:
        """Infos that say of those at the limit whether it is that which ends the episode."""
        if self._mode is AutoresetMode.SAME_STEP and "final_info" in infos:
            final, where = infos["final_info"], reached & done
            if isinstance(final, dict):
                infos = {**infos, "final_info": _with_key(final, where, by_limit)}
            else:  # some environments have a "final_info" of their own
                infos = with_final_info(infos, where, lambda i, last: {**last, KEY: by_limit[i]})
            reached = reached & ~done
        return _with_key(infos, reached, by_limit)

    def _reset_some(self, actions: Any, due: Mask, others: Mask) -> Results:
        """The results of a step of which some environments begin their next episodes."""
        none = np.zeros(self.num_envs, np.bool_)
        if not others.any():
            observations, infos = self.env.reset(options={"reset_mask": due})
            return observations, np.zeros(self.num_envs), none, none.copy(), infos
        acted: Any = step_part(self.env, actions, others)
        observations, infos = self.env.reset(options={"reset_mask": due})
        rewards, terminations, truncations = (np.where(others, one, np.zeros_like(one)) for one in acted[1:4])
        merged = merge_observations(self.env, due, observations, acted[0])
        return merged, rewards, terminations, truncations, merge_infos(due, infos, acted[4])

    def _begun(self, observations: Any, infos: dict[str, Any], cut: Mask) -> tuple[Any, Info]:
        """Observations and infos of a step in which some environments begin their next episodes."""
        rows = enumerate(iterate(self.env.observation_space, observations))
        last = {i: copy.deepcopy(row) for i, row in rows if cut[i]}
        began, begun = self.env.reset(options={"reset_mask": cut})
        each = [info_of(infos, i) for i in range(self.num_envs)]
        for i, row in last.items():
            final = {"final_obs": row, "final_info": each[i]}
            each[i] = final | info_of(begun, i) | final
        return merge_observations(self.env, cut, began, observations), batch_infos(enumerate(each), self.num_envs)


def _with_key(infos: dict[str, Any], where: Mask, values: Mask) -> dict[str, Any]:
    """Infos in which the environments of a mask have these values under the key; others keep theirs."""
    if not where.any():
        return infos
    there = infos.get(f"_{KEY}", np.zeros_like(where))
    old = np.asarray(infos[KEY], np.bool_) if KEY in infos else there
    return {**infos, KEY: np.where(where, values, old), f"_{KEY}": there | where}
