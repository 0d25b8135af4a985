"""The `ActorStarter` class, which starts actors, waits until Ray has placed them, and creates their environments."""

from __future__ import annotations

import pickle
import time
from typing import TYPE_CHECKING, Any, Final

from gymkernel_util_vector.ray_cluster.capacity import warn_of_no_room
from gymkernel_util_vector.ray_cluster.options import requested_resources
from gymkernel_util_vector.shards.errors import WorkerTimeoutError, env_names, raise_failures
from gymkernel_vector_ray._actor_handle import LIMIT_REACHED, MISSING, death_error, fetch, late_error
from gymkernel_vector_ray._resources import no_room_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_vector_ray._actor_handle import ActorHandle

__all__ = ["ActorStarter"]

NEXT_TRY: Final = 0.5
"""How many seconds to wait before restarting an actor that died during its start."""
Built = list[tuple["ActorHandle", Any]]
"""A list that pairs each actor with a description of its environments' spaces."""


class ActorStarter:
    """A helper that starts and restarts the actors of a pool.

    Args:
        options: the options with which Ray creates each actor.
        seconds: how many seconds Ray may take to place and start the actors.
    """

    def __init__(self, options: dict[str, Any], seconds: float) -> None:
        self._options, self.seconds = options, seconds
        self._num_workers = 0

    def start(self, workers: Sequence[ActorHandle], deadline: float | None) -> Built:
        """Start all actors, and return the descriptions of their environments.

        Args:
            workers: the actors to start.
            deadline: the time on the monotonic clock by which the environments must have been created; None for no
                limit.

        Raises:
            WorkerTimeoutError: if the cluster has no room, or the environments were not created in time.
            WorkerError: if an actor died, or an environment cannot be created.
        """
        self._num_workers = len(workers)
        for worker in workers:
            worker.collect()
        self._warn_of_no_room(self.seconds)
        for worker in workers:
            worker.start()
        end = time.monotonic() + self.seconds
        dead = self._await_places(workers, end)
        while dead and time.monotonic() < end and all(worker.never_ran() for worker in dead):
            time.sleep(NEXT_TRY)  # the actors were placed on a lost node; the cluster will soon notice that it is lost
            for worker in dead:
                worker.kill()
                worker.start()
            dead = self._await_places(dead, end)
        built: Built = []
        if not dead:
            built, dead = self._await_envs(workers, deadline)
        if dead:
            raise death_error(dead, "construction", MISSING)
        return built

    def start_again(self, worker: ActorHandle, seconds: float) -> None:
        """Restart an actor that has died.

        The cluster may need time to notice that a node is lost. Therefore, an actor that was placed on a lost node is
        restarted until the time limit is reached.

        Args:
            worker: the actor to restart.
            seconds: the time limit for the whole restart.

        Raises:
            WorkerTimeoutError: if the cluster has no room, or the environments were not created in time.
            WorkerError: if the actor died on a running node, or its environments cannot be created.
        """
        end = time.monotonic() + seconds
        worker.collect()
        self._warn_of_no_room(seconds)  # the cluster may have lost a node
        while True:
            worker.kill()
            worker.start()
            dead = self._await_places([worker], end) or self._await_envs([worker], end)[1]
            if not dead:
                return
            is_node_lost = worker.place is None or "node" in worker.why_it_ended()
            if time.monotonic() >= end or not is_node_lost:
                raise death_error(dead, "restart", LIMIT_REACHED)
            time.sleep(NEXT_TRY)

    def _warn_of_no_room(self, seconds: float) -> None:
        resources, strategy = requested_resources(self._options), self._options["scheduling_strategy"]
        warn_of_no_room(resources, strategy, self._num_workers, seconds)

    def _await_places(self, workers: Sequence[ActorHandle], deadline: float) -> list[ActorHandle]:
        """Wait until the actors are running, and return those that have died. Raise an error if there is no room."""
        places, late, dead = fetch(workers, deadline, first_death=False)
        for worker, place in places:
            worker.place = place
        if late:
            indices = [i for worker in late for i in worker.indices]
            message = no_room_text(self._options, len(late), env_names(indices), self.seconds)
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
            raise late_error(late, "construction", None)
        answers = [(worker, pickle.loads(data)) for worker, data in pickled]  # noqa: S301 - the program's actors are trusted
        raise_failures([failure for _, (failures, _) in answers for failure in failures])
        return [(worker, description) for worker, (_, description) in answers], dead
