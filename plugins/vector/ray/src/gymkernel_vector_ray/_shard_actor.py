"""The `ShardActor` class, a Ray actor that steps a shard of the environments."""

from __future__ import annotations

import os
import pickle
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from gymkernel_util_vector.columns import RESULTS, column_plan
from gymkernel_util_vector.processes.pickling import dumps
from gymkernel_util_vector.shards.answer_pickling import pickle_message, pickle_spaces
from gymkernel_util_vector.shards.messages import Failure, ShardArrays, ShardSettings, SideMessage
from gymkernel_util_vector.shards.shard import EnvShard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gymkernel_util_vector.processes.spawn_data import SpawnData

__all__ = ["Answer", "Place", "ShardActor"]

Answer = tuple["list[NDArray[Any]]", "bytes | None"]
"""A response to a request: a list of arrays (rewards, terminations, truncations, observations) and a pickled message.

The list is empty if the response contains no arrays, and the message is None if there is nothing else to send."""


@dataclass(frozen=True, slots=True)
class Place:
    """The node and process in which an actor runs."""

    node_id: str
    """Ray's ID for the node."""
    address: str
    """The IP address of the node."""
    pid: int
    """The process ID."""

    def __str__(self) -> str:
        return f"node {self.address} ({self.node_id[:8]}, process {self.pid})"


class ShardActor:
    """A Ray actor that steps the environments of one shard. Ray calls its methods one at a time.

    Ray serializes the arrays. Everything else is pickled with `gymkernel_util_vector.processes`, which supports classes
    that are defined in the program itself.
    """

    def __init__(self) -> None:
        self._step = 0
        """The number of the latest step of all environments."""
        self._shard: Any = None

    def place(self) -> Place:
        """Return where this actor runs. This is the first call, which succeeds as soon as Ray has placed the actor."""
        import ray

        node_id = ray.get_runtime_context().get_node_id()
        self._place = Place(node_id, ray.util.get_node_ip_address(), os.getpid())
        return self._place

    def build(self, data: bytes, first: int, settings: ShardSettings) -> bytes:
        """Create the environments.

        Return the pickled failures and, if there are none, a description of the spaces.

        Args:
            data: the pickled `SpawnData` of the program.
            first: the index of the shard's first environment.
            settings: the settings of the shard.
        """
        self._first = first
        try:
            spawned: SpawnData = pickle.loads(data)  # noqa: S301 - the program is trusted
            shard = EnvShard(first, spawned.install(elsewhere=True), settings)
            failures = shard.build()
        except BaseException as exc:  # noqa: BLE001 - every exception is reported to the program
            return dumps((self._add_node([Failure.of(exc, first, "start")]), None))
        if failures:
            shard.close()
            return dumps((self._add_node(failures), None))
        self._shard = shard
        pairs, indices = shard.spaces()
        return dumps(([], (pickle_spaces(pairs), indices, dumps(shard.metadata()))))

    def attach(self, plans: bytes) -> None:
        """Create the arrays for the results.

        Args:
            plans: the pickled array plans for observations and actions.
        """
        plan, action_plan = pickle.loads(plans)  # noqa: S301 - the program is trusted
        n, results = self._shard.n, column_plan(**RESULTS)
        arrays = {**results.nested(results.arrays(n)), "actions": action_plan.arrays(n)}
        self._arrays = ShardArrays.of(arrays, [plan.arrays(n)], slice(n), shared=True)
        self._shard.attach(plan, action_plan.tree, self._arrays)

    def step(self, number: int, leaves: Sequence[NDArray[Any]], items: bytes | None) -> Answer:
        """Step every environment.

        Args:
            number: the number of the step. A step whose number is repeated is ignored, because the parent may send a
                step twice after Ctrl-C.
            leaves: the actions as arrays, one for each elementary space in the action space.
            items: the pickled actions if they cannot be stored in arrays; otherwise None.
        """
        if number <= self._step:
            return [], None
        self._step = number
        if items is None:
            for array, leaf in zip(self._arrays.actions, leaves, strict=True):
                array[...] = leaf
            return self._answer(self._shard.step(None, 0), slice(None))
        return self._answer(self._shard.step(pickle.loads(items), 0), slice(None))  # noqa: S301 - the program is trusted

    def perform(self, what: str, request: bytes, positions: list[int] | None) -> Answer:
        """Call another method of the `EnvShard`.

        Args:
            what: the name of the method: "step_some", "reset", "call" or "resume".
            request: the pickled arguments of the method.
            positions: the positions of the environments whose results are returned, or None to return no arrays.
        """
        message = getattr(self._shard, what)(*pickle.loads(request))  # noqa: S301 - the program is trusted
        return self._answer(message, positions)

    def close(self) -> bytes:
        """Close the environments, and return the pickled failures."""
        failures = [] if self._shard is None else self._shard.close()
        return dumps(self._add_node(failures))

    def _answer(self, message: SideMessage | None, rows: Any) -> Answer:
        arrays = self._arrays
        columns = arrays.rewards, arrays.terminations, arrays.truncations, *arrays.observations[0]
        own = [] if rows is None else [column[rows] for column in columns]
        if message is None:
            return own, None
        message.failures = self._add_node(message.failures)
        return own, pickle_message(message, self._first)

    def _add_node(self, failures: list[Failure]) -> list[Failure]:
        return [replace(failure, node=str(self._place)) for failure in failures]
