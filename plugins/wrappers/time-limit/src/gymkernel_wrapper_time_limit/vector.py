"""The `TimeLimit` wrapper for vector environments."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from gymkernel.infos import batch_infos, info_of
from gymkernel.ops import iterate
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Results, Seed, VectorEnvLike, Where
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_vector.episodes import EpisodeBoundaries
from gymkernel_util_wrappers.episodic import EpisodicWrapper
from gymkernel_util_wrappers.merge_steps import merge_infos, merge_observations, step_part, with_final_info
from gymkernel_wrapper_time_limit import KEY, step_limit

__all__ = ["TimeLimit"]


class TimeLimit(EpisodicWrapper[ObsType, ActType, ObsType, ActType, ArrayType], RecordConstructorArgs):
    """A vector wrapper that truncates episodes after a number of steps.

    The autoreset mode of the wrapped vector environment determines how the next episode begins. In NEXT_STEP mode, the
    next step resets the environment. In SAME_STEP mode, the same step resets the environment, and `final_obs` in the
    infos contains the final observation. In DISABLED mode, the caller must reset the environment. When an environment
    reaches the limit, the key "TimeLimit.truncated" is added to the infos. The value is True if the limit ended the
    episode, and False if the task itself ended in the same step.

    The arguments and exceptions are the same as for `gymkernel.wrappers.TimeLimit`. Unless the mode is DISABLED, the
    wrapped vector environment must support partial resets, and in NEXT_STEP mode also `step_masked`.

    Raises:
        UnsupportedMode: if a step must reset only some of the environments, but the wrapped vector environment does not
            support partial resets.

    >>> import gymkernel as gym
    >>> envs = TimeLimit(gym.make_vec("CartPole-v1", 2, "sync"), 2)  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> _ = envs.step([0, 1])  # doctest: +SKIP
    >>> envs.step([0, 1])[3]  # doctest: +SKIP
    array([ True,  True])
    """

    def __init__(self, env: VectorEnvLike[ObsType, ActType, ArrayType], max_episode_steps: int | None = None) -> None:
        limit = step_limit(max_episode_steps, env)
        RecordConstructorArgs.__init__(self, max_episode_steps=limit)
        super().__init__(env)
        self._max_episode_steps = limit
        self._inside = EpisodeBoundaries.around(env)
        """The episode boundaries of the wrapped vector environment, which does not apply the limit of this wrapper."""
        self._clock = self._next_limit = 0
        """The number of steps so far (`_clock`), and the number of the first step in which an environment may reach the
        limit."""
        self._starts = np.zeros(self.num_envs, np.int64)
        """The value of `_clock` at the start of each environment's episode, plus the number of later steps that omitted
        the environment."""

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TimeLimit[Any, Any, Any]]:
        """Yield an instance that `gymkernel check` tests. Its limit is only a few steps."""
        yield cls(env, 3)

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environments and their step counts."""
        results, _ = self.reset_inside(seed, options)
        self._inside.finish_reset(options)
        return results  # type: ignore[no-any-return]

    def on_reset(self, where: Where) -> None:
        """Reset the step counts of the given environments."""
        self._starts[where] = self._clock

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step the environments, and set `truncations` for all environments that reach the limit."""
        is_plain = self._clock + 1 < self._next_limit and not self.boundaries.any_over
        results: Results = self.env.step(actions) if is_plain else self._act(actions, None)
        if is_plain and not (np.count_nonzero(results[2]) or np.count_nonzero(results[3])):
            self._clock += 1
            return results
        return self.finish_step(results, None)  # type: ignore[no-any-return]

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Step the environments that the mask selects, and set `truncations` for those that reach the limit."""
        return self.finish_step(self._act(actions, mask), mask)  # type: ignore[no-any-return]

    def _act(self, actions: Any, mask: Mask | None) -> Results:
        """Step the wrapped environments, and reset those whose episodes were ended only by the limit."""
        began, _ = self.boundaries.plan_step(mask)
        if began is not None and (due := began & ~self._inside.over).any():
            return self._reset_some(actions, due, ~due if mask is None else mask & ~due)
        return self.env.step(actions) if mask is None else step_part(self.env, actions, mask)

    def finish_step(self, results: Any, mask: Mask | None) -> Any:
        """In the results of a step, set `truncations` for all environments that reach the limit."""
        observations, rewards, terminations, truncations, infos = results
        began, _ = self.boundaries.plan_step(mask)
        self._clock += 1
        if mask is not None:
            self._starts += ~mask
        if began is not None:
            self.on_reset(began)
        ended_inside, restarted = self._inside.finish_step(terminations, truncations, mask)
        cut_off = None
        if self._clock >= self._next_limit:
            reached = self._clock - self._starts >= self._max_episode_steps
            reached = reached if mask is None else reached & mask
            if np.count_nonzero(reached):
                ended = np.zeros_like(reached) if ended_inside is None else ended_inside
                infos = self._report(infos, reached, ended, ~terminations, has_final=restarted is not None)
                truncations, cut_off = truncations | reached, reached & ~ended
            self._next_limit = int(self._starts.min()) + self._max_episode_steps
        _, restarted = self.boundaries.finish_step(terminations, truncations, mask)
        if restarted is not None:
            self.on_reset(restarted)
            if cut_off is not None and cut_off.any():
                observations, infos = self._start_next_episodes(observations, infos, cut_off)
        return observations, rewards, terminations, truncations, infos

    def _report(
        self, infos: dict[str, Any], reached: Mask, ended_inside: Mask, by_limit: Mask, *, has_final: bool
    ) -> dict[str, Any]:
        """Add "TimeLimit.truncated" to the infos of all environments that have reached the limit."""
        if has_final and "final_info" in infos:
            final, where = infos["final_info"], reached & ended_inside
            if isinstance(final, dict):
                infos = {**infos, "final_info": _with_key(final, where, by_limit)}
            else:  # the environments also store their own data under "final_info"
                infos = with_final_info(infos, where, lambda i, last: {**last, KEY: by_limit[i]})
            reached = reached & ~ended_inside
        return _with_key(infos, reached, by_limit)

    def _reset_some(self, actions: Any, due: Mask, others: Mask) -> Results:
        """Reset the environments in the mask `due`, step those in the mask `others`, and merge the results."""
        none = np.zeros(self.num_envs, np.bool_)
        if not others.any():
            observations, infos = self.env.reset(options={"reset_mask": due})
            return observations, np.zeros(self.num_envs), none, none.copy(), infos
        stepped: Any = step_part(self.env, actions, others)
        observations, infos = self.env.reset(options={"reset_mask": due})
        rewards, terminations, truncations = (np.where(others, part, np.zeros_like(part)) for part in stepped[1:4])
        merged = merge_observations(self.env, due, observations, stepped[0])
        return merged, rewards, terminations, truncations, merge_infos(due, infos, stepped[4])

    def _start_next_episodes(self, observations: Any, infos: dict[str, Any], cut_off: Mask) -> tuple[Any, Info]:
        """Reset the environments that `cut_off` selects, and add their final observations and infos to the infos."""
        rows = enumerate(iterate(self.env.observation_space, observations))
        last = {i: copy.deepcopy(row) for i, row in rows if cut_off[i]}
        began, restarted = self.env.reset(options={"reset_mask": cut_off})
        each = [info_of(infos, i) for i in range(self.num_envs)]
        for i, row in last.items():
            final = {"final_obs": row, "final_info": each[i]}
            each[i] = final | info_of(restarted, i) | final
        return merge_observations(self.env, cut_off, began, observations), batch_infos(enumerate(each), self.num_envs)


def _with_key(infos: dict[str, Any], where: Mask, values: Mask) -> dict[str, Any]:
    """Set "TimeLimit.truncated" in the infos for the environments that `where` selects, and keep all other values."""
    if not where.any():
        return infos
    present = infos.get(f"_{KEY}", np.zeros_like(where))
    old = np.asarray(infos[KEY], np.bool_) if KEY in infos else present
    return {**infos, KEY: np.where(where, values, old), f"_{KEY}": present | where}
