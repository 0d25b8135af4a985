"""The `ActorStarter` class, which starts actors, waits until Ray has placed them, and creates their environments."""

from __future__ import annotations

import pickle
import time
from typing import TYPE_CHECKING, Any, Final

from gymkernel_util_vector.ray_cluster.capacity import warn_of_no_room
from gymkernel_util_vector.ray_cluster.options import requested_resources
from gymkernel_util_vector.shards.errors import WorkerTimeoutError, env_names, raise_failures
from gymkernel_util_vector.shards.requests import remaining
from gymkernel_util_vector.shards.shard_pool import ShardPool
from gymkernel_vector_ray._actor_handle import MISSING, ActorHandle, fetch
from gymkernel_vector_ray._resources import no_room_text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["ActorStarter"]

NEXT_TRY: Final = 0.5
"""How many seconds to wait before restarting an actor that died during its start."""
Built = list[tuple["ActorHandle", Any]]
"""A list that pairs each actor with a description of its environments' spaces."""


class ActorStarter(ShardPool):
    """The part of an actor pool that starts and restarts the actors. The constructor of the pool sets the options."""

    backend, kind = "RayVectorEnv", "actor"
    advice = (
        "; pass a longer timeout if the environments need more time, or close this vector environment and create a new "
        "RayVectorEnv"
    )
    workers: list[ActorHandle]
    _options: dict[str, Any]
    """The options with which Ray creates each actor."""
    _seconds: float
    """How many seconds Ray may take to place and start the actors."""
    _plans = b""
    """The pickled array plans for observations and actions."""
    _deadline_after_restart = 0.0

    def start(self, deadline: float | None) -> None:
        """Start all actors, and create their environments. If this method raises an error, call `stop`.

        Args:
            deadline: the time on the monotonic clock by which the environments must have been created; None for no
                limit.

        Raises:
            WorkerTimeoutError: if the cluster has no room, or the environments were not created in time.
            WorkerError: if an actor died, or an environment cannot be created.
        """
        for worker in self.workers:
            worker.collect()
        self._warn_of_no_room(self._seconds)
        for worker in self.workers:
            worker.start()
        end = time.monotonic() + self._seconds
        dead = self._await_places(self.workers, end)
        while dead and time.monotonic() < end and all(worker.never_ran() for worker in dead):
            time.sleep(NEXT_TRY)  # the actors were placed on a lost node; the cluster will soon notice that it is lost
            for worker in dead:
                worker.kill()
                worker.start()
            dead = self._await_places(dead, end)
        built: Built = []
        if not dead:
            built, dead = self._await_envs(self.workers, deadline)
        if dead:
            raise self.death_error(dead, "construction", MISSING)
        self.describe(built)

    def start_again(self, worker: ActorHandle, deadline: float | None) -> None:
        """Restart an actor that has died, and recreate its environments.

        The cluster may need time to notice that a node is lost and to place the actor on another node. Therefore, a
        restart may take up to `start_timeout`, even if the deadline is earlier, and an actor that was placed on a lost
        node is restarted until the time limit is reached.

        Args:
            worker: the actor to restart.
            deadline: when to stop waiting, as a time on the monotonic clock; None for no limit.

        Raises:
            WorkerTimeoutError: if the cluster has no room, or the environments were not created in time.
            WorkerError: if the actor died on a running node, or its environments cannot be created.
        """
        seconds = max(self._seconds, remaining(deadline) or 0)
        end = time.monotonic() + seconds
        try:
            worker.collect()
            self._warn_of_no_room(seconds)  # the cluster may have lost a node
            while True:
                worker.kill()
                worker.start()
                dead = self._await_places([worker], end) or self._await_envs([worker], end)[1]
                if not dead:
                    break
                is_node_lost = worker.place is None or "node" in worker.why_it_ended()
                if time.monotonic() >= end or not is_node_lost:
                    raise self.death_error(  # noqa: TRY301 - the except clause also handles Ctrl-C
                        dead, "restart", f"Its state is lost: create a new {self.backend}"
                    )
                time.sleep(NEXT_TRY)
            worker.attach(self._plans)
        except BaseException:
            worker.end()
            raise
        self._deadline_after_restart = time.monotonic() + seconds

    def _warn_of_no_room(self, seconds: float) -> None:
        resources, strategy = requested_resources(self._options), self._options["scheduling_strategy"]
        warn_of_no_room(resources, strategy, len(self.workers), seconds)

    def _await_places(self, workers: Sequence[ActorHandle], deadline: float) -> list[ActorHandle]:
        """Wait until the actors are running, and return those that have died. Raise an error if there is no room."""
        places, late, dead = fetch(workers, deadline, first_death=False)
        for worker, place in places:
            worker.place = place
        if late:
            indices = [i for worker in late for i in worker.indices]
            message = no_room_text(self._options, len(late), env_names(indices), self._seconds)
            raise WorkerTimeoutError(message, indices, "construction")
        return dead

    def _await_envs(self, workers: Sequence[ActorHandle], deadline: float | None) -> tuple[Built, list[ActorHandle]]:
        """Make the actors create their environments.

        Return the descriptions of their spaces, and the actors that have died.
        """
        for worker in workers:
            worker.build()
        pickled, late, dead = fetch(workers, deadline)
        if late and not dead:
            raise self.late_error(late, "construction", None)
        answers = [(worker, pickle.loads(data)) for worker, data in pickled]  # noqa: S301 - the program's actors are trusted
        raise_failures([failure for _, (failures, _) in answers for failure in failures])
        return [(worker, description) for worker, (_, description) in answers], dead
