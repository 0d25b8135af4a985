"""`RecordEpisodeStatistics`: the return, the length and the time of every episode."""

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
    """Add to the info of an episode's last step what the episode was: `{"r": return, "l": length, "t": seconds}`.

    Args:
        buffer_length: how many of the last episodes are kept.
        stats_key: where in the info.
        deque_size: another name of `buffer_length`, by keyword.

    Attributes:
        return_queue: the undiscounted returns of the last episodes, oldest first.
        length_queue: their numbers of steps.
        time_queue: the seconds from their resets to their ends.
        episode_count: how many episodes ended.

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
        self._start(buffer_length)
        self._stats_key = stats_key
        self.episode_start_time = time.perf_counter()
        self.episode_returns: Any = 0.0
        self.episode_lengths = 0

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin an episode, and its statistics."""
        result = self.env.reset(seed=seed, options=options)
        self.episode_start_time = time.perf_counter()
        self.episode_returns = 0.0
        self.episode_lengths = 0
        return result

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, Info]:
        """Act once; the last step of an episode has its statistics in the info.

        Raises:
            ValueError: the environment uses that key itself.
        """
        result = self.env.step(action)
        self.episode_returns += result[1]
        self.episode_lengths += 1
        if result[2] or result[3]:
            return *result[:4], self._finished(result[4])
        return result

    def _finished(self, info: dict[str, Any]) -> dict[str, Any]:
        if self._stats_key in info:
            message = f"The info has a {self._stats_key!r} of its own; give RecordEpisodeStatistics another stats_key"
            raise ValueError(message)
        now = time.perf_counter()
        lasted = round(now - self.episode_start_time, 6)
        self._keep([self.episode_returns], [self.episode_lengths], [lasted])
        self.episode_start_time = now
        return {**info, self._stats_key: {"r": self.episode_returns, "l": self.episode_lengths, "t": lasted}}

    def _present(self) -> dict[str, Any]:
        lasted = time.perf_counter() - self.episode_start_time
        return {
            "episode_returns": self.episode_returns,
            "episode_lengths": self.episode_lengths,
            "episode_time": lasted,
        }

    def _resume(self, state: Mapping[str, Any]) -> None:
        self.episode_returns, self.episode_lengths = state["episode_returns"], state["episode_lengths"]
        self.episode_start_time = time.perf_counter() - state["episode_time"]
