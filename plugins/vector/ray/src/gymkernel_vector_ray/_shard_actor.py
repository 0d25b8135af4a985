"""`ShardActor`: the worker's side, an actor of Ray that steps one shard of the environments."""

from __future__ import annotations

import os
import pickle
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

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
"""Rewards, terminations, truncations and the leaves of observations, where there are any; and the side message."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an actor runs."""

    node_id: str
    address: str
    pid: int

    def __str__(self) -> str:
        return f"node {self.address} ({self.node_id[:8]}, process {self.pid})"


class ShardActor:
    """Steps the environments of one shard; every method is called through Ray, one after another.

    Arrays travel as Ray sends them, everything else is pickled by `gymkernel_util_vector.processes`, which knows
    the classes that the program defined.
    """

    def __init__(self) -> None:
        self._step = 0
        """Number of the last step of all environments."""
        self._shard: Any = None

    def place(self) -> Place:
        """Where this runs; the first call, which shows that there was room."""
        import ray

        node_id = ray.get_runtime_context().get_node_id()
        self._place = Place(node_id, ray.util.get_node_ip_address(), os.getpid())
        return self._place

    def build(self, data: bytes, first: int, settings: ShardSettings) -> bytes:
        """Make the environments: failures, and a description where there are none."""
        self._first = first
        try:
            spawned: SpawnData = pickle.loads(data)  # noqa: S301 - from the program that this actor is of
            shard = EnvShard(first, spawned.install(elsewhere=True), settings)
            failures = shard.build()
        except BaseException as exc:  # noqa: BLE001 - the program hears of all
            return dumps((self._placed([Failure.of(exc, first, "start")]), None))
        if failures:
            shard.close()
            return dumps((self._placed(failures), None))
        self._shard = shard
        pairs, indices = shard.spaces()
        return dumps(([], (pickle_spaces(pairs), indices, dumps(shard.metadata()))))

    def attach(self, plans: bytes) -> None:
        """Make the arrays that results are written into.

        Args:
            plans: of observations and of actions, pickled.
        """
        plan, action_plan = pickle.loads(plans)  # noqa: S301 - as above
        n = self._shard.n
        actions = [] if action_plan.object_parts else action_plan.arrays(n)
        flags = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        self._arrays = ShardArrays([plan.arrays(n)], np.zeros(n), *flags, actions, shared=True)
        self._shard.attach(plan, action_plan.tree, self._arrays)

    def step(self, number: int, leaves: Sequence[NDArray[Any]], items: bytes | None) -> Answer:
        """Act once in every environment.

        Args:
            number: of the step; the same one again is the same step, which a Ctrl-C had sent twice.
            leaves: the actions, for each leaf of their space.
            items: the actions where they have no arrays, pickled.
        """
        if number <= self._step:
            return [], None
        self._step = number
        if items is None:
            for mine, given in zip(self._arrays.actions, leaves, strict=True):
                mine[...] = given
            return self._answer(self._shard.step(None, 0), slice(None))
        return self._answer(self._shard.step(pickle.loads(items), 0), slice(None))  # noqa: S301 - as above

    def step_some(self, positions: list[int], items: bytes) -> Answer:
        """Act in the environments at some positions, with these actions."""
        whole = SideMessage()
        for k, action in zip(positions, pickle.loads(items), strict=True):  # noqa: S301 - as above
            message = self._shard.step_one(k, action, 0)
            if message is not None:
                for name in ("infos", "object_parts", "failures"):
                    getattr(whole, name).extend(getattr(message, name))
        return self._answer(whole or None, positions)

    def reset(self, request: bytes) -> Answer:
        """Begin episodes, as `EnvShard.reset`; only the observations are of these environments."""
        seeds, options = pickle.loads(request)  # noqa: S301 - as above
        return self._answer(self._shard.reset(seeds, options, 0), [k for k, _ in seeds])

    def call(self, request: bytes) -> Answer:
        """Ask something of every environment, as `EnvShard.call`."""
        return [], self._pickled(self._shard.call(*pickle.loads(request)))  # noqa: S301 - as above

    def resume(self, request: bytes) -> Answer:
        """Take over from an actor that ended, as `EnvShard.resume`."""
        self._shard.resume(*pickle.loads(request))  # noqa: S301 - as above
        return [], None

    def report_lost(self, positions: list[int]) -> Answer:
        """End lost episodes, as `EnvShard.report_lost`."""
        return self._answer(self._shard.report_lost(positions, 0), positions)

    def close(self) -> bytes:
        """Close the environments; what failed."""
        failures = [] if self._shard is None else self._shard.close()
        return dumps(self._placed(failures))

    def _answer(self, message: SideMessage | None, rows: Any) -> Answer:
        arrays = self._arrays
        columns = arrays.rewards, arrays.terminations, arrays.truncations, *arrays.observations[0]
        return [column[rows] for column in columns], None if message is None else self._pickled(message)

    def _pickled(self, message: SideMessage) -> bytes:
        message.failures = self._placed(message.failures)
        return pickle_message(message, self._first)

    def _placed(self, failures: list[Failure]) -> list[Failure]:
        return [replace(failure, node=str(self._place)) for failure in failures]
