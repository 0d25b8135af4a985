"""`Requests`: what was asked of shards in other processes, in order, and the shared memory of each request."""

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
    """A request for a fragment that is not waited for."""

    ticket: Ticket
    slot: Slot | None
    outcome: Outcome | None = None
    handle: Any = None
    """By which the engine knows what was sent; None where it was not."""


class Requests:
    """The requests of all shards; those of one shard are answered in their order.

    Args:
        recipes: of the shards.
        shared: whether fragments come through memory that is shared with the process of a shard.
    """

    def __init__(self, recipes: Sequence[Recipe], *, shared: bool) -> None:
        self._recipes = recipes
        self._pools = [SlotPool(Slot) for _ in recipes] if shared else []
        self._queues: list[deque[Request]] = [deque() for _ in recipes]
        self._taken: list[Slot | None] = [None for _ in recipes]
        """Of the fragment that was waited for, and neither handed over nor dropped."""
        self._lost: list[tuple[int, Failure | None]] = [(-1, None) for _ in recipes]
        """The generation in which a shard's process ended, and how."""

    def add(self, shard: int, ticket: Ticket) -> Request:
        """Note a request; where its generation was lost, it has failed already, and is not to be sent.

        Args:
            shard: of which it is asked.
            ticket: what is asked.
        """
        slot = self._pools[shard].take() if self._pools else None
        request = Request(ticket._replace(memory=None if slot is None else slot.place), slot)
        generation, failure = self._lost[shard]
        if failure is not None and ticket.generation <= generation:
            request.outcome = _failed(ticket, failure)
        self._queues[shard].append(request)
        return request

    def of(self, shard: int) -> Iterator[Request]:
        """The requests of a shard, the oldest first."""
        return iter(self._queues[shard])

    def oldest(self, shard: int) -> Request:
        """The one of a shard that is answered next."""
        return self._queues[shard][0]

    def versions(self) -> set[int]:
        """Of the policies that are asked for."""
        return {request.ticket.version for queue in self._queues for request in queue}

    def lose(self, shard: int, generation: int, failure: Failure) -> None:
        """Note that a process has ended: what was asked of it has failed.

        Args:
            shard: whose process it was.
            generation: that ran there; requests that come later, of a shard begun anew, are not concerned.
            failure: what became of it.
        """
        self._lost[shard] = generation, failure
        for request in self._queues[shard]:
            if request.outcome is None and request.ticket.generation <= generation:
                request.outcome = _failed(request.ticket, failure)

    def take(self, shard: int) -> Outcome | None:
        """What the oldest request of a shard has come to, which is not asked for any more then; None where it has not.

        Args:
            shard: that is waited for.
        """
        queue = self._queues[shard]
        if not queue or queue[0].outcome is None:
            return None
        request = queue.popleft()
        outcome, slot = request.outcome, request.slot
        if slot is not None and (outcome is None or outcome.failure is not None or outcome.arrays is not None):
            self._pools[shard].take_back(slot)
            slot = None
        self._taken[shard] = slot
        return outcome

    def fragment(self, shard: int, outcome: Outcome) -> Fragment:
        """The fragment, in shared memory as long as there is enough of it."""
        indices, slot = self._recipes[shard].indices, self._taken[shard]
        if slot is None:
            return fragment_of(outcome, shard, indices)
        self._taken[shard] = None
        memory, scarce = self._pools[shard].hand_out(slot)
        found = fragment_of(outcome, shard, indices, memory)
        return found.copy() if scarce else found

    def drop(self, shard: int) -> None:
        """Use the memory of the fragment that was waited for again."""
        slot, self._taken[shard] = self._taken[shard], None
        if slot is not None:
            self._pools[shard].take_back(slot)

    def progress(self, shard: int) -> str:
        """The time step at which a shard is with its oldest request, in words; empty where nobody knows."""
        request = next(self.of(shard), None)
        row = None if request is None or request.slot is None else request.slot.row()
        return "" if request is None or row is None else f", at time step {row} of {request.ticket.rows}"

    def stop(self) -> None:
        """Have shards leave the fragments that they are collecting, and begin no other."""
        for pool in self._pools:
            for slot in pool:
                slot.stop()

    def close(self) -> None:
        """Give the memory back; nothing is awaited any more."""
        for queue in self._queues:
            queue.clear()
        for pool in self._pools:
            for slot in pool:
                slot.close()


def _failed(ticket: Ticket, failure: Failure) -> Outcome:
    return Outcome(ticket.serial, failure=failure, generation=ticket.generation)
