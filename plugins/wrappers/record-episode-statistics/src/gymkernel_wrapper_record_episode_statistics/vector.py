"""The `RecordEpisodeStatistics` wrapper for vector environments."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from gymkernel.infos import info_of
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed, VectorEnvLike, Where
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_wrappers.episodic import EpisodicWrapper
from gymkernel_util_wrappers.merge_steps import with_final_info
from gymkernel_wrapper_record_episode_statistics.statistics import Episodes

__all__ = ["RecordEpisodeStatistics"]

_ONE = np.ones(1, np.int64)
"""The number 1 as an array. Adding it to an array is twice as fast as adding a Python integer."""


class RecordEpisodeStatistics(
    EpisodicWrapper[ObsType, ActType, ObsType, ActType, ArrayType], Episodes, RecordConstructorArgs
):
    """A vector wrapper that adds the returns, lengths and durations of episodes to the infos of their last steps.

    `infos["episode"]` is a dictionary of arrays, `{"r": returns, "l": lengths, "t": seconds}`. `infos["_episode"]` is a
    mask of the environments whose episodes have ended. For all other environments, the arrays contain 0. In SAME_STEP
    mode, the statistics are also added to `infos["final_info"]`.

    The arguments, attributes and exceptions are the same as for `gymkernel.wrappers.RecordEpisodeStatistics`, but the
    queues contain recent episodes of all environments.

    >>> import gymkernel as gym
    >>> envs = RecordEpisodeStatistics(gym.make_vec("CartPole-v1", 2, "sync", max_episode_steps=3))  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> for _ in range(3):  # doctest: +SKIP
    ...     infos = envs.step([0, 1])[4]
    >>> infos["episode"]["r"], infos["_episode"]  # doctest: +SKIP
    (array([3., 3.]), array([ True,  True]))
    """

    def __init__(
        self,
        env: VectorEnvLike[ObsType, ActType, ArrayType],
        buffer_length: int = 100,
        stats_key: str = "episode",
        *,
        deque_size: int | None = None,
    ) -> None:
        buffer_length = buffer_length if deque_size is None else deque_size
        RecordConstructorArgs.__init__(self, buffer_length=buffer_length, stats_key=stats_key)
        EpisodicWrapper.__init__(self, env)
        self._create_queues(buffer_length)
        self._stats_key = stats_key
        n = self.num_envs
        self.episode_start_times = np.full(n, time.perf_counter())
        self.episode_returns, self.episode_lengths = np.zeros(n), np.zeros(n, np.int64)

    @property
    def prev_dones(self) -> Any:
        """A mask of the environments whose last step ended an episode. Subclasses that replace `step` may set it."""
        return self.boundaries.over

    @prev_dones.setter
    def prev_dones(self, mask: Any) -> None:
        self.boundaries.over, self.boundaries.any_over = mask, bool(mask.any())

    def reset(self, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the wrapped environments and the statistics of their episodes."""
        return super().reset(seed=seed, options=options)

    def on_reset(self, where: Where) -> None:
        """Reset the episode statistics of the given environments."""
        self.episode_start_times[where] = time.perf_counter()
        self.episode_returns[where] = 0
        self.episode_lengths[where] = 0

    def finish_step(self, results: Any, mask: Mask | None) -> Any:
        """Add the statistics of finished episodes to the infos of a step.

        Raises:
            ValueError: if the infos already contain the key `stats_key`.
        """
        observations, rewards, terminations, truncations, infos = results
        began, acting = self.boundaries.plan_step(mask)
        if began is not None:
            self.on_reset(began)
        if acting is ...:
            self.episode_returns += rewards
            self.episode_lengths += _ONE
        else:
            self.episode_returns[acting] += rewards[acting]
            self.episode_lengths[acting] += 1
        done, began = self.boundaries.finish_step(terminations, truncations, mask)
        if done is not None:
            infos = self._with_statistics(infos, done, has_final=began is not None and "final_info" in infos)
        if began is not None:
            self.on_reset(began)
        return observations, rewards, terminations, truncations, infos

    def _with_statistics(self, infos: dict[str, Any], done: Mask, *, has_final: bool) -> dict[str, Any]:
        """Add the statistics of finished episodes to the infos and, if it exists, to "final_info"."""
        key = self._stats_key
        if key in infos or f"_{key}" in infos:
            raise ValueError(f"The environments already use the info key {key!r}; pass another stats_key")
        durations = np.round(time.perf_counter() - self.episode_start_times, 6)
        columns = {"r": self.episode_returns, "l": self.episode_lengths, "t": durations}
        returns, lengths, times = (column[done] for column in columns.values())
        self._append(returns, lengths, times)
        statistics = {name: np.where(done, column, 0) for name, column in columns.items()}
        added: dict[str, Any] = {key: statistics, f"_{key}": done.copy()}
        if has_final:
            final = infos["final_info"]
            if isinstance(final, dict) and not final.keys() & added.keys():
                infos = {**infos, "final_info": {**added, **final}}
            else:  # the environments also store their own data under one of these keys
                infos = with_final_info(infos, done, lambda i, last: {**info_of(added, i), **last})
        return {**infos, **added}

    def _current_episode(self) -> dict[str, Any]:
        durations = time.perf_counter() - self.episode_start_times
        now = {
            "episode_returns": self.episode_returns,
            "episode_lengths": self.episode_lengths,
            "episode_time": durations,
        }
        return {name: column.tolist() for name, column in now.items()}

    def _restore_episode(self, state: Mapping[str, Any]) -> None:
        returns, lengths = np.array(state["episode_returns"], np.float64), np.array(state["episode_lengths"], np.int64)
        if returns.shape != (self.num_envs,):
            raise ValueError(
                f"Expected the state of {self.num_envs} environments, got returns of shape {returns.shape}"
            )
        self.episode_returns, self.episode_lengths = returns, lengths
        self.episode_start_times = time.perf_counter() - np.array(state["episode_time"])
