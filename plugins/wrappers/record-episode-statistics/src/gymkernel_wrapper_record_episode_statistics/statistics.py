"""The `Episodes` base class, which stores the statistics of recent episodes."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

__all__ = ["Episodes"]

QUEUES = ("return_queue", "length_queue", "time_queue")


class Episodes:
    """A base class that stores the statistics of recent episodes and the number of finished episodes."""

    episode_count: int
    return_queue: deque[float]
    length_queue: deque[int]
    time_queue: deque[float]

    def _create_queues(self, buffer_length: int) -> None:
        self.episode_count = 0
        self.return_queue = deque(maxlen=buffer_length)
        self.length_queue = deque(maxlen=buffer_length)
        self.time_queue = deque(maxlen=buffer_length)

    def _append(self, returns: Collection[Any], lengths: Iterable[Any], times: Iterable[Any]) -> None:
        self.episode_count += len(returns)
        self.return_queue.extend(returns)
        self.length_queue.extend(lengths)
        self.time_queue.extend(times)

    def state_dict(self) -> dict[str, Any]:
        """Return all statistics, including the current episode's, in a dictionary for `load_state_dict`."""
        queues = {name: np.array(getattr(self, name)).tolist() for name in QUEUES}
        return {**queues, "episode_count": self.episode_count, **self._current_episode()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state from the result of `state_dict`.

        If the queues are too short for all episodes in the state, the oldest episodes are omitted.

        Raises:
            KeyError: if the state lacks a required value.
            ValueError: if the state is for a different number of environments.
        """
        keys = [*QUEUES, "episode_count", *self._current_episode()]
        if missing := [name for name in keys if name not in state]:
            message = f"A state of RecordEpisodeStatistics has {', '.join(keys)}; {', '.join(missing)} is missing"
            raise KeyError(message)
        self._restore_episode(state)
        for name in QUEUES:
            queue = getattr(self, name)
            queue.clear()
            queue.extend(state[name])
        self.episode_count = int(state["episode_count"])

    def _current_episode(self) -> dict[str, Any]:
        """Return the return, length and duration of the current episode so far."""
        raise NotImplementedError

    def _restore_episode(self, state: Mapping[str, Any]) -> None:
        """Restore the statistics of the current episode."""
        raise NotImplementedError
