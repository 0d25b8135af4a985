"""What is kept of episodes that are over."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

__all__ = ["Episodes"]

QUEUES = ("return_queue", "length_queue", "time_queue")


class Episodes:
    """The returns, lengths and times of the last episodes, and how many there were in all."""

    episode_count: int
    return_queue: deque[float]
    length_queue: deque[int]
    time_queue: deque[float]

    def _start(self, buffer_length: int) -> None:
        self.episode_count = 0
        self.return_queue = deque(maxlen=buffer_length)
        self.length_queue = deque(maxlen=buffer_length)
        self.time_queue = deque(maxlen=buffer_length)

    def _keep(self, returns: Collection[Any], lengths: Iterable[Any], times: Iterable[Any]) -> None:
        self.episode_count += len(returns)
        self.return_queue.extend(returns)
        self.length_queue.extend(lengths)
        self.time_queue.extend(times)

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` takes: the queues as lists, the count, and how far the present episode is."""
        queues = {name: np.array(getattr(self, name)).tolist() for name in QUEUES}
        return {**queues, "episode_count": self.episode_count, **self._present()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a `state_dict`; queues that are shorter here keep the newest episodes.

        Raises:
            KeyError: something is missing.
            ValueError: it is of another number of environments.
        """
        wanted = [*QUEUES, "episode_count", *self._present()]
        if missing := [name for name in wanted if name not in state]:
            message = f"A state of RecordEpisodeStatistics has {', '.join(wanted)}; {', '.join(missing)} is missing"
            raise KeyError(message)
        self._resume(state)
        for name in QUEUES:
            queue = getattr(self, name)
            queue.clear()
            queue.extend(state[name])
        self.episode_count = int(state["episode_count"])

    def _present(self) -> dict[str, Any]:
        """How far the present episode is: its return, its length and its time."""
        raise NotImplementedError

    def _resume(self, state: Mapping[str, Any]) -> None:
        """Be as far as a state."""
        raise NotImplementedError
