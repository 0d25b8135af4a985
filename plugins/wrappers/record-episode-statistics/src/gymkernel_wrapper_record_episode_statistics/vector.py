"""`RecordEpisodeStatistics` for vector environments."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from gymkernel.infos import info_of
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.vector_env import AutoresetMode, VectorEnv
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel_util_wrappers.merge_steps import with_final_info
from gymkernel_wrapper_record_episode_statistics.statistics import Episodes

__all__ = ["RecordEpisodeStatistics"]

Results = tuple[Any, Any, Any, Any, Info]

_ONE = np.ones(1, np.int64)
"""Added to an array, in half the time of a Python number."""


class RecordEpisodeStatistics(
    VectorWrapper[ObsType, ActType, ObsType, ActType, ArrayType], Episodes, RecordConstructorArgs
):
    """Add to the infos what every episode was that ends: `{"r": returns, "l": lengths, "t": seconds}`, arrays.

    `infos["_episode"]` says whose episode ended; the arrays have 0 for the others. Under SAME_STEP the statistics are
    in `infos["final_info"]`, too.

    Arguments and errors are those of `gymkernel.wrappers.RecordEpisodeStatistics`, and so are the attributes;
    the queues have the last episodes of all environments together.
    """

    def __init__(
        self,
        env: VectorEnv[ObsType, ActType, ArrayType],
        buffer_length: int = 100,
        stats_key: str = "episode",
        *,
        deque_size: int | None = None,
    ) -> None:
        buffer_length = buffer_length if deque_size is None else deque_size
        RecordConstructorArgs.__init__(self, buffer_length=buffer_length, stats_key=stats_key)
        VectorWrapper.__init__(self, env)
        self._start(buffer_length)
        self._stats_key = stats_key
        mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        self._mode = AutoresetMode(getattr(mode, "value", mode))  # of another library, too
        n = self.num_envs
        self.episode_start_times = np.full(n, time.perf_counter())
        self.episode_returns, self.episode_lengths = np.zeros(n), np.zeros(n, np.int64)
        self.prev_dones: Mask = np.zeros(n, np.bool_)
        """Under NEXT_STEP, whose next step begins an episode."""

    def reset(self, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin episodes of the environments inside, and their statistics."""
        results = self.env.reset(seed=seed, options=options)
        where = ... if options is None else options.get("reset_mask", ...)
        self._restart(where)
        return results

    def _restart(self, where: Any) -> None:
        self.episode_start_times[where] = time.perf_counter()
        self.episode_returns[where] = 0
        self.episode_lengths[where] = 0
        self.prev_dones[where] = False

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once; the infos have the statistics of the episodes that end.

        Raises:
            ValueError: the environments use that key themselves.
        """
        return self._recorded(self.env.step(actions), None)

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once where a mask says."""
        return self._recorded(self.env.step_masked(actions, mask), mask)

    def _recorded(self, results: Results, mask: Mask | None) -> Results:
        observations, rewards, terminations, truncations, infos = results
        where = mask
        if np.count_nonzero(self.prev_dones):
            began = self.prev_dones if mask is None else self.prev_dones & mask
            where = ~began if mask is None else mask & ~began
            self._restart(began.copy())
        if where is None:
            self.episode_returns += rewards
            self.episode_lengths += _ONE
        else:
            self.episode_returns[where] += rewards[where]
            self.episode_lengths[where] += 1
        done: Mask = terminations | truncations
        if mask is not None:
            done = done & mask
        if np.count_nonzero(done):
            infos = self._finished(infos, done)
            if self._mode is AutoresetMode.NEXT_STEP:
                self.prev_dones = self.prev_dones | done
            elif self._mode is AutoresetMode.SAME_STEP:
                self._restart(done)
        return observations, rewards, terminations, truncations, infos

    def _finished(self, infos: dict[str, Any], done: Mask) -> dict[str, Any]:
        key = self._stats_key
        if key in infos or f"_{key}" in infos:
            raise ValueError(f"The infos have a {key!r} of their own; give RecordEpisodeStatistics another stats_key")
        lasted = np.round(time.perf_counter() - self.episode_start_times, 6)
        columns = {"r": self.episode_returns, "l": self.episode_lengths, "t": lasted}
        returns, lengths, times = (column[done] for column in columns.values())
        self._keep(returns, lengths, times)
        statistics = {name: np.where(done, column, 0) for name, column in columns.items()}
        added: dict[str, Any] = {key: statistics, f"_{key}": done}
        if self._mode is AutoresetMode.SAME_STEP and "final_info" in infos:
            final = infos["final_info"]
            if isinstance(final, dict) and not final.keys() & added.keys():
                infos = {**infos, "final_info": {**added, **final}}
            else:  # some environments have that key, or a "final_info", of their own
                infos = with_final_info(infos, done, lambda i, last: {**info_of(added, i), **last})
        return {**infos, **added}

    def _present(self) -> dict[str, Any]:
        lasted = time.perf_counter() - self.episode_start_times
        now = {"episode_returns": self.episode_returns, "episode_lengths": self.episode_lengths, "episode_time": lasted}
        return {name: column.tolist() for name, column in now.items()}

    def _resume(self, state: Mapping[str, Any]) -> None:
        returns, lengths = np.array(state["episode_returns"], np.float64), np.array(state["episode_lengths"], np.int64)
        if returns.shape != (self.num_envs,):
            raise ValueError(f"Expected a state of {self.num_envs} environments, got returns of shape {returns.shape}")
        self.episode_returns, self.episode_lengths = returns, lengths
        self.episode_start_times = time.perf_counter() - np.array(state["episode_time"])
