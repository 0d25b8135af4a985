"""The `RemoteShard` class, a Ray actor that runs a shard."""

from __future__ import annotations

import contextlib
import os
import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gymkernel_tool_rollout.collecting.errors import Failure
from gymkernel_tool_rollout.collecting.fragment import Outcome
from gymkernel_tool_rollout.collecting.policies import PickledPolicy
from gymkernel_tool_rollout.collecting.shard import Shard
from gymkernel_tool_rollout.collecting.slots import SlotWriter

if TYPE_CHECKING:
    from gymkernel_tool_rollout.collecting.shard import Recipe, Ticket
    from gymkernel_util_vector.processes.spawn_data import SpawnData

__all__ = ["RemoteShard"]


class RemoteShard:
    """A Ray actor that runs one shard.

    Args:
        recipe: the description of the shard, without the functions that create the environments.
        data: the pickled `SpawnData` of the program, which contains these functions.
    """

    def __init__(self, recipe: Recipe, data: bytes) -> None:
        self._recipe, self._data, self._slots = recipe, data, SlotWriter()
        self._shard: Any = None

    def place(self) -> str:
        """Describe the actor's node and process. This call succeeds as soon as Ray has placed the actor."""
        import ray

        node_id = ray.get_runtime_context().get_node_id()
        return f"node {ray.util.get_node_ip_address()} ({node_id[:8]}, process {os.getpid()})"

    def make(self) -> Failure | None:
        """Create the environments. Return a failure if they cannot be created, and None otherwise."""
        try:
            spawned: SpawnData = pickle.loads(self._data)  # noqa: S301 - the program is trusted
            self._shard = Shard(replace(self._recipe, env_fns=tuple(spawned.install(elsewhere=True))))
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - every exception is reported to the program
            return Failure.of(exc)
        return None

    def collect(self, request: bytes, policy: bytes | None = None) -> Outcome | bytes:
        """Collect a fragment, and return the outcome.

        If the arrays are in shared memory, this method pickles the outcome itself, which is faster than letting Ray do
        it.

        Args:
            request: the pickled ticket.
            policy: the pickled policy; None if the shard already has the required version.
        """
        ticket: Ticket = pickle.loads(request)  # noqa: S301 - the program is trusted
        if self._shard is None and (failure := self.make()) is not None:
            return Outcome(ticket.serial, failure=failure, generation=ticket.generation)
        if policy is not None:
            ticket = ticket._replace(policy=PickledPolicy(policy))
        memory = None if ticket.memory is None else self._slots.open(ticket.memory)
        outcome: Outcome = self._shard.collect(ticket, memory)
        if outcome.arrays is None:
            with contextlib.suppress(Exception):  # Ray can also pickle objects whose class is not defined in a module
                return pickle.dumps(outcome)
        return outcome

    def close(self) -> Failure | None:
        """Close the environments. Return a failure if they cannot be closed, and None otherwise."""
        try:
            if self._shard is not None:
                self._shard.close()
        except (Exception, SystemExit) as exc:  # noqa: BLE001 - every exception is reported to the program
            return Failure.of(exc)
        return None
