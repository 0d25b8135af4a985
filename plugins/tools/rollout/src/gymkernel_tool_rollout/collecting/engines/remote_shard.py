"""`RemoteShard`: the side of the engine `ray` that is in a process of the cluster."""

from __future__ import annotations

import contextlib
import os
import pickle
from typing import TYPE_CHECKING, Any

from gymkernel_tool_rollout.collecting.errors import Failure
from gymkernel_tool_rollout.collecting.fragment import Outcome
from gymkernel_tool_rollout.collecting.policies import PickledPolicy
from gymkernel_tool_rollout.collecting.shard import Shard
from gymkernel_tool_rollout.collecting.slots import SlotWriter

if TYPE_CHECKING:
    from gymkernel_tool_rollout.collecting.shard import Ticket

__all__ = ["RemoteShard"]


class RemoteShard:
    """A shard in a process of the cluster.

    Args:
        data: the pickled recipe and what the program has registered.
    """

    def __init__(self, data: bytes) -> None:
        self._data, self._slots = data, SlotWriter()
        self._shard: Any = None

    def place(self) -> str:
        """Where this runs; the first call, which shows that there was room."""
        import ray

        node_id = ray.get_runtime_context().get_node_id()
        return f"node {ray.util.get_node_ip_address()} ({node_id[:8]}, process {os.getpid()})"

    def make(self) -> Failure | None:
        """Make the environments; what went wrong."""
        registrations, recipe = pickle.loads(self._data)  # noqa: S301 - from the program
        try:
            registrations.install()
            self._shard = Shard(pickle.loads(recipe))  # noqa: S301 - as above
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - the program hears of all
            return Failure.of(exc)
        return None

    def collect(self, request: bytes, policy: bytes | None = None) -> Outcome | bytes:
        """Collect a fragment; the outcome, pickled where its arrays are elsewhere, so that Ray need not look into it.

        Args:
            request: the pickled ticket.
            policy: pickled, where the ticket's version is new to this shard.
        """
        ticket: Ticket = pickle.loads(request)  # noqa: S301 - from the program
        if self._shard is None and (failure := self.make()) is not None:
            return Outcome(ticket.serial, failure=failure, generation=ticket.generation)
        if policy is not None:
            ticket = ticket._replace(policy=PickledPolicy(policy))
        memory = None if ticket.memory is None else self._slots.open(ticket.memory)
        outcome: Outcome = self._shard.collect(ticket, memory)
        if outcome.arrays is None:
            with contextlib.suppress(Exception):  # objects of a class that no module has, which Ray can pickle
                return pickle.dumps(outcome)
        return outcome

    def close(self) -> Failure | None:
        """Close the environments; what went wrong."""
        try:
            if self._shard is not None:
                self._shard.close()
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - the program hears of all
            return Failure.of(exc)
        return None
