"""`PendingSteps`: keep track of the requested steps of individual environments, and of the results that are ready."""

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
    """A record of the requested steps of individual environments. Each environment is idle, awaited or ready.

    The methods update this state in such an order that no result is lost if Ctrl-C interrupts them between two lines.

    Args:
        n: the number of environments.
    """

    def __init__(self, n: int) -> None:
        self.numbers = np.zeros(n, np.int64)
        """The number of each environment's last single step."""
        self.awaited = np.full(n, -1, np.int64)
        """The number of each environment's step in progress, or -1."""
        self.ready: deque[int] = deque()
        """The environments whose result is ready but has not been received yet, oldest result first."""
        self.messages: dict[int, SideMessage] = {}
        """The side messages of the results that are ready, keyed by environment."""
        self.count = 0
        """The number of results that were requested but have not been received yet."""

    def request(self, env_ids: NDArray[np.int64]) -> None:
        """Record that each of the given environments, which must be idle, was asked to step."""
        self.forget_messages(env_ids.tolist())  # of received results, if Ctrl-C interrupted `receive`
        self.numbers[env_ids] += 1
        self.awaited[env_ids] = self.numbers[env_ids]
        self.count += len(env_ids)

    def note(self, env_ids: Sequence[int]) -> None:
        """Record that results of awaited environments are ready. The messages must already be in `messages`."""
        self.ready.extend(env_ids)
        self.awaited[env_ids] = -1  # see `resume`

    def note_answer(self, env_ids: Sequence[int], message: SideMessage | None) -> None:
        """Record that the results of several environments are ready. Their messages arrived as one message."""
        for i in env_ids:
            if message is not None and (part := message.part_of(i)) is not None:
                self.messages[i] = part
            self.note([i])

    def resume(self) -> None:
        """Finish a `note` that Ctrl-C interrupted."""
        self.awaited[list(self.ready)] = -1

    def receive(self, env_ids: Collection[int], rest: Iterable[int]) -> None:
        """Remove the results of some environments. The other results remain, oldest first."""
        ready, count = deque(rest), self.count - len(env_ids)
        self.ready, self.count = ready, count
        self.forget_messages(env_ids)

    def forget_messages(self, env_ids: Iterable[int]) -> None:
        """Remove the messages of some environments."""
        if self.messages:
            for i in env_ids:
                self.messages.pop(i, None)

    def awaited_of(self, indices: Iterable[int]) -> list[int]:
        """Return the given environments whose steps are in progress."""
        return [i for i in indices if self.awaited[i] >= 0]

    def is_idle(self, i: int) -> bool:
        """Return whether an environment is ready to receive an action."""
        return bool(self.awaited[i] < 0) and i not in self.ready

    def clear(self) -> None:
        """Stop waiting for results. Results that arrive later have older numbers than new requests and are dropped."""
        self.awaited[:] = -1
        self.ready.clear()
        self.messages.clear()
        self.count = 0
