"""`Requests`: the pending requests to shards in other processes, with the shared memory of each request."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gymkernel_tool_rollout.collecting.fragment import Outcome, fragment_of
from gymkernel_tool_rollout.collecting.slots import Slot, SlotPool

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gymkernel_tool_rollout.collecting.errors import Failure
    from gymkernel_tool_rollout.collecting.fragment import Fragment
    from gymkernel_tool_rollout.collecting.shard import Recipe, Ticket

__all__ = ["Request", "Requests"]


@dataclass(slots=True, eq=False)
class Request:
    """A pending request for a fragment."""

    ticket: Ticket
    """The data that the shard receives."""
    slot: Slot | None
    """The shared memory for the fragment, if shared memory is used."""
    outcome: Outcome | None = None
    """The outcome of the request, once it is known."""
    handle: Any = None
    """The engine's handle of the request; None if it was not sent yet."""


class Requests:
    """The pending requests of all shards. The requests of one shard are answered in order.

    Args:
        recipes: the descriptions of the shards.
        shared: whether fragments are returned through shared memory.
    """

    def __init__(self, recipes: Sequence[Recipe], *, shared: bool) -> None:
        self._recipes = recipes
        self._pools = [SlotPool(Slot) for _ in recipes] if shared else []
        self._queues: list[deque[Request]] = [deque() for _ in recipes]
        self._current: list[Slot | None] = [None for _ in recipes]
        """For each shard, the slot of the last outcome until its fragment is returned or dropped."""
        self._lost: list[tuple[int, Failure | None]] = [(-1, None) for _ in recipes]
        """For each shard, the generation in which its process ended, and the failure."""

    def add(self, shard: int, ticket: Ticket) -> Request:
        """Add a request, and return it. If its generation was lost, the request has failed and must not be sent.

        Args:
            shard: the number of the shard.
            ticket: the data of the request.
        """
        slot = self._pools[shard].take() if self._pools else None
        request = Request(ticket._replace(memory=None if slot is None else slot.place), slot)
        generation, failure = self._lost[shard]
        if failure is not None and ticket.generation <= generation:
            request.outcome = _failed_outcome(ticket, failure)
        self._queues[shard].append(request)
        return request

    def of(self, shard: int) -> Iterator[Request]:
        """Return an iterator over the requests of a shard, beginning with the oldest request."""
        return iter(self._queues[shard])

    def oldest(self, shard: int) -> Request:
        """Return the oldest request of a shard, which is answered next."""
        return self._queues[shard][0]

    def versions(self) -> set[int]:
        """Return the policy versions of all requests."""
        return {request.ticket.version for queue in self._queues for request in queue}

    def lose(self, shard: int, generation: int, failure: Failure) -> None:
        """Record that the process of a shard has ended. All its requests fail.

        Args:
            shard: the number of the shard.
            generation: the generation of the process. Requests of later generations do not fail.
            failure: the failure.
        """
        self._lost[shard] = generation, failure
        for request in self._queues[shard]:
            if request.outcome is None and request.ticket.generation <= generation:
                request.outcome = _failed_outcome(request.ticket, failure)

    def take(self, shard: int) -> Outcome | None:
        """Remove the oldest request of a shard, and return its outcome; return None if the outcome is not known yet.

        Args:
            shard: the number of the shard.
        """
        queue = self._queues[shard]
        if not queue or queue[0].outcome is None:
            return None
        request = queue.popleft()
        outcome, slot = request.outcome, request.slot
        if slot is not None and (outcome is None or outcome.failure is not None or outcome.arrays is not None):
            self._pools[shard].take_back(slot)
            slot = None
        self._current[shard] = slot
        return outcome

    def fragment(self, shard: int, outcome: Outcome) -> Fragment:
        """Return the fragment of the last outcome, in shared memory unless shared memory is scarce.

        Args:
            shard: the number of the shard.
            outcome: the last outcome of the shard.
        """
        indices, slot = self._recipes[shard].indices, self._current[shard]
        if slot is None:
            return fragment_of(outcome, shard, indices)
        self._current[shard] = None
        memory, scarce = self._pools[shard].hand_out(slot)
        fragment = fragment_of(outcome, shard, indices, memory)
        return fragment.copy() if scarce else fragment

    def drop(self, shard: int) -> None:
        """Release the memory of a shard's last outcome for a later fragment."""
        slot, self._current[shard] = self._current[shard], None
        if slot is not None:
            self._pools[shard].take_back(slot)

    def progress(self, shard: int) -> str:
        """Describe the current time step of a shard's oldest request; return "" if it is unknown."""
        request = next(self.of(shard), None)
        row = None if request is None or request.slot is None else request.slot.row()
        return "" if request is None or row is None else f", at time step {row} of {request.ticket.rows}"

    def stop(self) -> None:
        """Ask shards to abandon the fragments that they are collecting, and to start no other fragment."""
        for pool in self._pools:
            for slot in pool:
                slot.stop()

    def close(self) -> None:
        """Release the shared memory, and forget all requests."""
        for queue in self._queues:
            queue.clear()
        for pool in self._pools:
            for slot in pool:
                slot.close()


def _failed_outcome(ticket: Ticket, failure: Failure) -> Outcome:
    return Outcome(ticket.serial, failure=failure, generation=ticket.generation)
