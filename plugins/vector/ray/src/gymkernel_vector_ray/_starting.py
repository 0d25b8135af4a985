"""`ActorStarter`: start actors, wait until Ray has placed them, and let them create their environments."""

from __future__ import annotations

import pickle
import time
from typing import TYPE_CHECKING, Any, Final

from gymkernel_util_vector.shards.errors import WorkerTimeoutError, env_names, raise_failures
from gymkernel_vector_ray._errors import LIMIT_REACHED, MISSING, death_error, late_error
from gymkernel_vector_ray._resources import no_room_text, warn_of_small_cluster
from gymkernel_vector_ray._waiting import fetch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_vector_ray._actor_handle import ActorHandle

__all__ = ["ActorStarter"]

NEXT_TRY: Final = 0.5
"""The seconds to wait before an actor that ended during its start is started again."""
Built = list[tuple["ActorHandle", Any]]
"""Pairs of an actor and a description of the spaces of its environments."""


class ActorStarter:
    """A helper that starts and restarts actors.

    Args:
        options: the options of each actor for Ray.
        seconds: the seconds that Ray has to place and start the actors.
    """

    def __init__(self, options: dict[str, Any], seconds: float) -> None:
        self._options, self.seconds = options, seconds
        self._num_workers = 0

    def start(self, workers: Sequence[ActorHandle], deadline: float | None) -> Built:
        """Start all actors, and return the descriptions of their environments.

        Args:
            workers: the actors to start.
            deadline: the deadline by the monotonic clock for creating the environments; None for no limit.

        Raises:
            WorkerTimeoutError: the cluster has no room, or the environments were not created in time.
            WorkerError: an actor ended, or an environment cannot be created.
        """
        self._num_workers = len(workers)
        for worker in workers:
            worker.collect()
        warn_of_small_cluster(self._options, self._num_workers, self.seconds)
        for worker in workers:
            worker.start()
        end = time.monotonic() + self.seconds
        dead = self._await_places(workers, end)
        while dead and time.monotonic() < end and all(worker.never_ran() for worker in dead):
            time.sleep(NEXT_TRY)  # the actors were placed on a lost node, and the cluster will soon notice the loss
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
        """Restart an actor that has ended.

        The cluster may need time to notice that a node is lost. Therefore, an actor that was placed on a lost node is
        started again until the time has passed.

        Args:
            worker: the actor.
            seconds: the time limit for the whole restart.

        Raises:
            WorkerTimeoutError: the cluster has no room, or the environments were not created in time.
            WorkerError: the actor ended on a node that runs, or its environments cannot be created.
        """
        end = time.monotonic() + seconds
        worker.collect()
        warn_of_small_cluster(self._options, self._num_workers, seconds)  # the cluster may have lost a node
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

    def _await_places(self, workers: Sequence[ActorHandle], deadline: float) -> list[ActorHandle]:
        """Wait until the actors run, and return the actors that have ended; raise if the cluster has no room."""
        places, late, dead = fetch(workers, deadline, first_death=False)
        for worker, place in places:
            worker.place = place
        if late:
            indices = [i for worker in late for i in worker.indices]
            message = no_room_text(self._options, len(late), env_names(indices), self.seconds)
            raise WorkerTimeoutError(message, indices, "construction")
        return dead

    def _await_envs(self, workers: Sequence[ActorHandle], deadline: float | None) -> tuple[Built, list[ActorHandle]]:
        """Let the actors create their environments; return the descriptions, and the actors that have ended."""
        for worker in workers:
            worker.build()
        pickled, late, dead = fetch(workers, deadline)
        if late and not dead:
            raise late_error(late, "construction", None)
        answers = [(worker, pickle.loads(data)) for worker, data in pickled]  # noqa: S301 - from the program's actors
        raise_failures([failure for _, (failures, _) in answers for failure in failures])
        return [(worker, description) for worker, (_, description) in answers], dead
