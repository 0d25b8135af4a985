"""The class `PendingSteps`, which keeps track of the steps that were requested from individual environments."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from numpy.typing import NDArray

    from gymkernel_util_vector.shards.messages import SideMessage

__all__ = ["PendingSteps"]


class PendingSteps:
    """A record of the steps requested from individual environments. Each environment is idle, awaited or ready.

    The methods update the record in such an order that no result is lost if Ctrl-C interrupts them between two lines.

    Args:
        n: the number of environments.
    """

    def __init__(self, n: int) -> None:
        self.numbers = np.zeros(n, np.int64)
        """The number of the last step that was requested from each environment."""
        self.awaited = np.full(n, -1, np.int64)
        """The number of the step that each environment is performing, or -1."""
        self.ready: deque[int] = deque()
        """The environments whose results are ready but have not been received yet, starting with the oldest result."""
        self.messages: dict[int, SideMessage] = {}
        """The side messages of the results that are ready, keyed by the index of the environment."""
        self.count = 0
        """The number of results that have been requested but not received yet."""

    def request(self, env_ids: NDArray[np.int64]) -> None:
        """Record that a step was requested from each of the given environments, which must be idle."""
        self.forget_messages(env_ids.tolist())  # messages may be left over if Ctrl-C interrupted `receive`
        self.numbers[env_ids] += 1
        self.awaited[env_ids] = self.numbers[env_ids]
        self.count += len(env_ids)

    def note(self, env_ids: Sequence[int]) -> None:
        """Record that the results of awaited environments are ready. Their messages must already be in `messages`."""
        self.ready.extend(env_ids)
        self.awaited[env_ids] = -1  # see `resume`

    def note_answer(self, env_ids: Sequence[int], message: SideMessage | None) -> None:
        """Record that a worker has sent the results of several environments in a single message."""
        for i in env_ids:
            if message is not None and (part := message.part_of(i)) is not None:
                self.messages[i] = part
            self.note([i])

    def resume(self) -> None:
        """Complete a call to `note` that Ctrl-C interrupted."""
        self.awaited[list(self.ready)] = -1

    def receive(self, env_ids: Collection[int], rest: Iterable[int]) -> None:
        """Remove the results of some environments, and keep the other results in the given order."""
        ready, count = deque(rest), self.count - len(env_ids)
        self.ready, self.count = ready, count
        self.forget_messages(env_ids)

    def forget_messages(self, env_ids: Iterable[int]) -> None:
        """Remove the messages of some environments."""
        if self.messages:
            for i in env_ids:
                self.messages.pop(i, None)

    def awaited_of(self, indices: Iterable[int]) -> list[int]:
        """Return those of the given environments that are performing a step."""
        return [i for i in indices if self.awaited[i] >= 0]

    def is_idle(self, i: int) -> bool:
        """Return whether a step can be requested from an environment."""
        return bool(self.awaited[i] < 0) and i not in self.ready

    def clear(self) -> None:
        """Stop waiting for all results. Results that arrive later are recognized by their old numbers and dropped."""
        self.awaited[:] = -1
        self.ready.clear()
        self.messages.clear()
        self.count = 0
