"""`TimeLimit` for vector environments."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.infos import batch_infos, info_of
from gymkernel.ops import iterate
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_vector.episodes import EpisodeBoundaries
from gymkernel_util_wrappers.episodic import EpisodicWrapper
from gymkernel_util_wrappers.merge_steps import merge_infos, merge_observations, step_part, with_final_info
from gymkernel_wrapper_time_limit import KEY, steps

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv
    from gymkernel.wrapper import Where

    Results = tuple[Any, Any, Any, Any, Info]

__all__ = ["TimeLimit"]


class TimeLimit(EpisodicWrapper[ObsType, ActType, ObsType, ActType, ArrayType], RecordConstructorArgs):
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
        super().__init__(env)
        self._max_episode_steps = limit
        self._inside = EpisodeBoundaries.around(env)
        """The boundaries of the environments inside, which do not know the ends that are due to the limit."""
        self._clock = self._quiet_until = 0
        """The number of steps, and what it will be when an environment may reach the limit."""
        self._began = np.zeros(self.num_envs, np.int64)
        """What the clock showed when each episode began; a step that leaves an environment out moves its start on."""

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TimeLimit[Any, Any, Any]]:
        """For `gymkernel check`: with a limit of a few steps, whatever the spec of the environments has."""
        yield cls(env, 3)

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin episodes, and the counts of their steps."""
        results, _ = self.reset_inside(seed, options)
        self._inside.finish_reset(options)
        return results  # type: ignore[no-any-return]

    def on_reset(self, where: Where) -> None:
        """Begin the counts of some environments."""
        self._began[where] = self._clock

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once; `truncations` is True for the environments that reach the limit."""
        is_quiet = self._clock + 1 < self._quiet_until and not self.boundaries.any_over
        results: Results = self.env.step(actions) if is_quiet else self._act(actions, None)
        if is_quiet and not (np.count_nonzero(results[2]) or np.count_nonzero(results[3])):
            self._clock += 1
            return results
        return self.finish_step(results, None)  # type: ignore[no-any-return]

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once in the environments that a mask names."""
        return self.finish_step(self._act(actions, mask), mask)  # type: ignore[no-any-return]

    def _act(self, actions: Any, mask: Mask | None) -> Results:
        """Step the environments inside; those whose episode ended only because of the limit are reset instead."""
        began, _ = self.boundaries.plan_step(mask)
        if began is not None and (due := began & ~self._inside.over).any():
            return self._reset_some(actions, due, ~due if mask is None else mask & ~due)
        return self.env.step(actions) if mask is None else step_part(self.env, actions, mask)

    def finish_step(self, results: Any, mask: Mask | None) -> Any:
        """Return the results of a step, in which the environments that reach the limit are truncated."""
        observations, rewards, terminations, truncations, infos = results
        began, _ = self.boundaries.plan_step(mask)
        self._clock += 1
        if mask is not None:
            self._began += ~mask
        if began is not None:
            self.on_reset(began)
        done, begun = self._inside.finish_step(terminations, truncations, mask)
        cut = None
        if self._clock >= self._quiet_until:
            reached = self._clock - self._began >= self._max_episode_steps
            reached = reached if mask is None else reached & mask
            if np.count_nonzero(reached):
                ended = np.zeros_like(reached) if done is None else done
                infos = self._report(infos, reached, ended, ~terminations, has_final=begun is not None)
                truncations, cut = truncations | reached, reached & ~ended
            self._quiet_until = int(self._began.min()) + self._max_episode_steps
        _, begun = self.boundaries.finish_step(terminations, truncations, mask)
        if begun is not None:
            self.on_reset(begun)
            if cut is not None and cut.any():
                observations, infos = self._begin(observations, infos, cut)
        return observations, rewards, terminations, truncations, infos

    def _report(
        self, infos: dict[str, Any], reached: Mask, done: Mask, by_limit: Mask, *, has_final: bool
    ) -> dict[str, Any]:
        """Return infos that say of the environments at the limit whether the limit ends the episode."""
        if has_final and "final_info" in infos:
            final, where = infos["final_info"], reached & done
            if isinstance(final, dict):
                infos = {**infos, "final_info": _with_key(final, where, by_limit)}
            else:  # some environments have a "final_info" of their own
                infos = with_final_info(infos, where, lambda i, last: {**last, KEY: by_limit[i]})
            reached = reached & ~done
        return _with_key(infos, reached, by_limit)

    def _reset_some(self, actions: Any, due: Mask, others: Mask) -> Results:
        """Return the results of a step in which some environments are reset and others act."""
        none = np.zeros(self.num_envs, np.bool_)
        if not others.any():
            observations, infos = self.env.reset(options={"reset_mask": due})
            return observations, np.zeros(self.num_envs), none, none.copy(), infos
        acted: Any = step_part(self.env, actions, others)
        observations, infos = self.env.reset(options={"reset_mask": due})
        rewards, terminations, truncations = (np.where(others, one, np.zeros_like(one)) for one in acted[1:4])
        merged = merge_observations(self.env, due, observations, acted[0])
        return merged, rewards, terminations, truncations, merge_infos(due, infos, acted[4])

    def _begin(self, observations: Any, infos: dict[str, Any], cut: Mask) -> tuple[Any, Info]:
        """Reset some environments, and return the observations and infos of the step with their last ones in it."""
        rows = enumerate(iterate(self.env.observation_space, observations))
        last = {i: copy.deepcopy(row) for i, row in rows if cut[i]}
        began, begun = self.env.reset(options={"reset_mask": cut})
        each = [info_of(infos, i) for i in range(self.num_envs)]
        for i, row in last.items():
            final = {"final_obs": row, "final_info": each[i]}
            each[i] = final | info_of(begun, i) | final
        return merge_observations(self.env, cut, began, observations), batch_infos(enumerate(each), self.num_envs)


def _with_key(infos: dict[str, Any], where: Mask, values: Mask) -> dict[str, Any]:
    """Return infos in which the environments of a mask have these values under the key; the others keep theirs."""
    if not where.any():
        return infos
    there = infos.get(f"_{KEY}", np.zeros_like(where))
    old = np.asarray(infos[KEY], np.bool_) if KEY in infos else there
    return {**infos, KEY: np.where(where, values, old), f"_{KEY}": there | where}
