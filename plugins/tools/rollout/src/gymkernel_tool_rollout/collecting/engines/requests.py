"""The memory for the fragments of several shards, and the `Requests` class for shards in other processes."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from gymkernel_tool_rollout.collecting.fragment import Outcome, fragment_of
from gymkernel_tool_rollout.collecting.slots import S, Slot, SlotPool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gymkernel_tool_rollout.collecting.errors import Failure
    from gymkernel_tool_rollout.collecting.fragment import Fragment
    from gymkernel_tool_rollout.collecting.shard import Recipe, Ticket

__all__ = ["FragmentSlots", "Request", "Requests"]


@dataclass(slots=True, eq=False)
class Request:
    """A pending request for a fragment."""

    ticket: Ticket
    """The ticket that is sent to the shard."""
    slot: Slot | None
    """The shared memory for the fragment; None if shared memory is not used."""
    outcome: Outcome | None = None
    """The outcome of the request, or None while it is unknown."""
    handle: Any = None
    """The engine's handle for the request; None if the request has not been sent yet."""


class FragmentSlots(Generic[S]):
    """The slots of memory for the fragments of several shards.

    Args:
        recipes: one description per shard.
        make: the class that creates a slot; None if fragments are not written into slots.
    """

    def __init__(self, recipes: Sequence[Recipe], make: Callable[[], S] | None) -> None:
        self._recipes = recipes
        self._pools: list[SlotPool[S]] = [] if make is None else [SlotPool(make) for _ in recipes]
        self._current: list[S | None] = [None for _ in recipes]
        """For each shard, the slot that contains its last outcome, until the fragment is returned or dropped."""

    def fragment(self, shard: int, outcome: Outcome) -> Fragment:
        """Return the fragment in a shard's last outcome, as views of the slot or, if slots are scarce, as a copy.

        Args:
            shard: the index of the shard.
            outcome: the shard's last outcome.
        """
        indices, slot = self._recipes[shard].indices, self._current[shard]
        if slot is None:
            return fragment_of(outcome, shard, indices)
        self._current[shard] = None
        memory, scarce = self._pools[shard].hand_out(slot)
        fragment = fragment_of(outcome, shard, indices, memory)
        return fragment.copy() if scarce else fragment

    def drop(self, shard: int, outcome: Outcome) -> None:
        """Release the memory of a shard's last outcome for use by later fragments."""
        slot, self._current[shard] = self._current[shard], None
        if slot is not None:
            self._pools[shard].take_back(slot)


class Requests(FragmentSlots[Slot]):
    """The pending requests to all shards, and the shared memory for their fragments. Shards answer requests in order.

    Args:
        recipes: one description per shard.
        shared: whether fragments are returned through shared memory.
    """

    def __init__(self, recipes: Sequence[Recipe], *, shared: bool) -> None:
        super().__init__(recipes, Slot if shared else None)
        self._queues: list[deque[Request]] = [deque() for _ in recipes]
        self._lost: list[tuple[int, Failure | None]] = [(-1, None) for _ in recipes]
        """For each shard, the last generation whose process died, and a description of the failure."""

    def add(self, shard: int, ticket: Ticket) -> Request:
        """Add a request and return it.

        If the process of the request's generation has died, the request has already failed. It then has an outcome and
        must not be sent.

        Args:
            shard: the index of the shard.
            ticket: the ticket to send to the shard.
        """
        slot = self._pools[shard].take() if self._pools else None
        request = Request(ticket._replace(memory=None if slot is None else slot.place), slot)
        generation, failure = self._lost[shard]
        if failure is not None and ticket.generation <= generation:
            request.outcome = _failed_outcome(ticket, failure)
        self._queues[shard].append(request)
        return request

    def of(self, shard: int) -> Iterator[Request]:
        """Iterate over a shard's requests, starting with the oldest."""
        return iter(self._queues[shard])

    def oldest(self, shard: int) -> Request:
        """Return a shard's oldest request, which the shard will answer next."""
        return self._queues[shard][0]

    def lose(self, shard: int, generation: int, failure: Failure) -> None:
        """Record that a shard's process has died, and mark its requests as failed.

        Args:
            shard: the index of the shard.
            generation: the generation of the process. Requests with a later generation are not affected.
            failure: a description of how the process died.
        """
        self._lost[shard] = generation, failure
        for request in self._queues[shard]:
            if request.outcome is None and request.ticket.generation <= generation:
                request.outcome = _failed_outcome(request.ticket, failure)

    def take(self, shard: int) -> Outcome | None:
        """Remove a shard's oldest request and return its outcome, or return None if there is no outcome yet.

        Args:
            shard: the index of the shard.
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

    def progress(self, shard: int) -> str:
        """Describe the time step that a shard's oldest request has reached. Return "" if it is unknown."""
        request = next(self.of(shard), None)
        row = None if request is None or request.slot is None else request.slot.row()
        return "" if request is None or row is None else f", at time step {row} of {request.ticket.rows}"

    def stop(self) -> None:
        """Ask all shards to abandon their current fragments and not to start new ones."""
        for pool in self._pools:
            for slot in pool:
                slot.stop()

    def close(self) -> None:
        """Release the shared memory and discard all requests."""
        for queue in self._queues:
            queue.clear()
        for pool in self._pools:
            for slot in pool:
                slot.close()


def _failed_outcome(ticket: Ticket, failure: Failure) -> Outcome:
    return Outcome(ticket.serial, failure=failure, generation=ticket.generation)
