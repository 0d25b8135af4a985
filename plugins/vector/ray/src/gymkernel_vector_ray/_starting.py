"""How actors are started: placed by Ray where there is room, then given their environments; again, where one ended."""

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
"""Seconds until an actor that ended while it started is started again."""
Built = list[tuple["ActorHandle", Any]]
"""Actors, and what each says of its environments."""


class ActorStarter:
    """Starts actors.

    Args:
        options: for Ray, of each actor.
        seconds: for actors to be placed and started.
    """

    def __init__(self, options: dict[str, Any], seconds: float) -> None:
        self._options, self.seconds = options, seconds
        self._num_workers = 0

    def start(self, workers: Sequence[ActorHandle], deadline: float | None) -> Built:
        """Start all actors; what they say of their environments.

        Args:
            workers: that are to start.
            deadline: for the environments to be made.

        Raises:
            WorkerTimeoutError: there is no room, or environments were not made in time.
            WorkerError: an actor ended, or environments could not be made.
        """
        self._num_workers = len(workers)
        for worker in workers:
            worker.collect()
        warn_of_small_cluster(self._options, self._num_workers, self.seconds)
        for worker in workers:
            worker.start()
        end = time.monotonic() + self.seconds
        dead = self._placed(workers, end)
        while dead and time.monotonic() < end and all(worker.never_ran() for worker in dead):
            time.sleep(NEXT_TRY)  # on a node that is lost, which the cluster is about to notice
            for worker in dead:
                worker.kill()
                worker.start()
            dead = self._placed(dead, end)
        built: Built = []
        if not dead:
            built, dead = self._built(workers, deadline)
        if dead:
            raise death_error(dead, "construction", MISSING)
        return built

    def start_again(self, worker: ActorHandle, seconds: float) -> None:
        """Start an actor that has ended.

        The cluster may take a while to notice that a node is lost, and to place an actor on another one. So an actor
        that was placed on a lost node is started again until the time has passed.

        Args:
            worker: that has ended.
            seconds: for all of it.

        Raises:
            WorkerTimeoutError: there is no room, or environments were not made in time.
            WorkerError: the actor ended on a node that runs, or environments could not be made.
        """
        end = time.monotonic() + seconds
        worker.collect()
        warn_of_small_cluster(self._options, self._num_workers, seconds)  # a node may be lost
        while True:
            worker.kill()
            worker.start()
            dead = self._placed([worker], end) or self._built([worker], end)[1]
            if not dead:
                return
            is_node_lost = worker.place is None or "node" in worker.why_it_ended()
            if time.monotonic() >= end or not is_node_lost:
                raise death_error(dead, "restart", LIMIT_REACHED)
            time.sleep(NEXT_TRY)

    def _placed(self, workers: Sequence[ActorHandle], deadline: float) -> list[ActorHandle]:
        """Wait until actors run: those that have ended; raise where there is no room."""
        found, late, dead = fetch(workers, deadline, first_death=False)
        for worker, place in found:
            worker.place = place
        if late:
            indices = [i for worker in late for i in worker.indices]
            message = no_room_text(self._options, len(late), env_names(indices), self.seconds)
            raise WorkerTimeoutError(message, indices, "construction")
        return dead

    def _built(self, workers: Sequence[ActorHandle], deadline: float | None) -> tuple[Built, list[ActorHandle]]:
        """Wait until actors have made their environments: descriptions, and the actors that have ended."""
        for worker in workers:
            worker.build()
        found, late, dead = fetch(workers, deadline)
        if late and not dead:
            raise late_error(late, "construction", None)
        answers = [(worker, pickle.loads(data)) for worker, data in found]  # noqa: S301 - of this program's own actors
        raise_failures([failure for _, (failures, _) in answers for failure in failures])
        return [(worker, description) for worker, (_, description) in answers], dead
