"""The `RecordEpisodeStatistics` wrapper, which records the return, length and duration of episodes."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, SupportsFloat

from gymkernel.protocols import ActType, EnvLike, Info, ObsType, Options
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper
from gymkernel_wrapper_record_episode_statistics.statistics import Episodes

__all__ = ["RecordEpisodeStatistics"]


class RecordEpisodeStatistics(Wrapper[ObsType, ActType, ObsType, ActType], Episodes, RecordConstructorArgs):
    """A wrapper that adds the return, length and duration of an episode to the info of its last step.

    The statistics are stored as `{"r": return, "l": length, "t": seconds}`.

    Args:
        buffer_length: the maximum number of recent episodes whose statistics are stored.
        stats_key: the key of the statistics in the info.
        deque_size: a keyword-only alias of `buffer_length`.

    Attributes:
        return_queue: the undiscounted returns of recent episodes, oldest first.
        length_queue: the lengths of recent episodes in steps, oldest first.
        time_queue: the durations of recent episodes in seconds (from the reset to the last step), oldest first.
        episode_count: the number of finished episodes.

    >>> from gymkernel import Env
    >>> class Short(Env):
    ...     def reset(self, *, seed=None, options=None):
    ...         return 0, {}
    ...
    ...     def step(self, action):
    ...         return 0, 2.5, action == "end", False, {}
    >>> env = RecordEpisodeStatistics(Short())
    >>> _ = env.reset(), env.step("go")
    >>> statistics = env.step("end")[4]["episode"]
    >>> statistics["r"], statistics["l"]
    (5.0, 2)
    """

    def __init__(
        self,
        env: EnvLike[ObsType, ActType],
        buffer_length: int = 100,
        stats_key: str = "episode",
        *,
        deque_size: int | None = None,
    ) -> None:
        buffer_length = buffer_length if deque_size is None else deque_size
        RecordConstructorArgs.__init__(self, buffer_length=buffer_length, stats_key=stats_key)
        Wrapper.__init__(self, env)
        self._create_queues(buffer_length)
        self._stats_key = stats_key
        self.episode_start_time = time.perf_counter()
        self.episode_returns: Any = 0.0
        self.episode_lengths = 0

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset the environment and the statistics of the episode."""
        result = self.env.reset(seed=seed, options=options)
        self.episode_start_time = time.perf_counter()
        self.episode_returns = 0.0
        self.episode_lengths = 0
        return result

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Step the environment. If the episode ends, add the statistics to the info.

        Raises:
            ValueError: if the info already contains the key `stats_key`.
        """
        result = self.env.step(action)
        self.episode_returns += result[1]
        self.episode_lengths += 1
        if result[2] or result[3]:
            return *result[:4], self._with_statistics(result[4])
        return result

    def _with_statistics(self, info: dict[str, Any]) -> dict[str, Any]:
        if self._stats_key in info:
            message = f"The environment already uses the info key {self._stats_key!r}; pass another stats_key"
            raise ValueError(message)
        now = time.perf_counter()
        duration = round(now - self.episode_start_time, 6)
        self._append([self.episode_returns], [self.episode_lengths], [duration])
        self.episode_start_time = now
        return {**info, self._stats_key: {"r": self.episode_returns, "l": self.episode_lengths, "t": duration}}

    def _current_episode(self) -> dict[str, Any]:
        duration = time.perf_counter() - self.episode_start_time
        return {
            "episode_returns": self.episode_returns,
            "episode_lengths": self.episode_lengths,
            "episode_time": duration,
        }

    def _restore_episode(self, state: Mapping[str, Any]) -> None:
        self.episode_returns, self.episode_lengths = state["episode_returns"], state["episode_lengths"]
        self.episode_start_time = time.perf_counter() - state["episode_time"]
