"""`PartialSteps`: steps of single environments, each a call of Ray, for `send` and `recv`."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_util_vector.shards import partial_steps
from gymkernel_vector_ray._waiting import remaining

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gymkernel_util_vector.shards.messages import SideMessage
    from gymkernel_util_vector.shards.pool import PoolWorker
    from gymkernel_vector_ray._actor_handle import ActorHandle
    from gymkernel_vector_ray._pool import ActorPool

__all__ = ["PartialSteps"]


class PartialSteps(partial_steps.PartialSteps):
    """Steps of single environments that are under way, or ready and not received."""

    _pool: ActorPool
    _together = False
    """Whether all are waited for, so that one call for each actor is enough."""
    _calls: dict[Any, tuple[ActorHandle, list[int]]]
    """What is under way: the actor and its environments, by the reference of the answer."""

    def step(
        self, actions: Any, env_ids: NDArray[np.int64], deadline: float | None, timeout: float | None
    ) -> list[SideMessage]:
        """Have some environments act, and wait for all of them; what came by message."""
        self._together = True
        try:
            return super().step(actions, env_ids, deadline, timeout)
        finally:
            self._together = False

    def drop(self) -> None:
        """Await nothing any more; what environments answer to what was sent is not taken."""
        super().drop()
        self._calls = {}

    def _take_actions(self, actions: Any, env_ids: NDArray[np.int64]) -> Sequence[Any] | None:
        if not self.pending:
            self._calls = {}
        return self._state.split_actions(actions, len(env_ids))

    def _submit(self, env_ids: NDArray[np.int64], actions: Sequence[Any] | None, buffer: int) -> None:
        given = dict(zip(env_ids.tolist(), actions or [], strict=True))
        for worker in self._pool.workers:
            own = [i for i in given if i in worker.indices]
            for ids in [own] if self._together and own else [[i] for i in own]:
                ref = self._pool.submit_step_of(worker, ids, [given[i] for i in ids])
                self._calls[ref] = worker, ids

    def _wait(self, wanted: int, deadline: float | None, timeout: float | None) -> None:
        import ray

        while len(self._ready) < wanted:
            self._pool.assert_connected()  # or else Ray would start here, to wait
            calls = 1 if self._together else min(wanted - len(self._ready), len(self._calls))
            ready, _ = ray.wait(list(self._calls), num_returns=calls, timeout=remaining(deadline))
            if not ready:
                busy = np.flatnonzero(self._awaited >= 0).tolist()
                late = [worker for worker in self._pool.workers if any(i in worker.indices for i in busy)]
                raise self._pool.late_error(late, self._phase, timeout, busy)
            dead = self._collect(ready)
            if dead:
                self._replace(dead, deadline)

    def _is_ready(self, deadline: float | None) -> bool:
        import ray

        self._pool.assert_connected()
        return bool(self._ready or ray.wait(list(self._calls), num_returns=1, timeout=remaining(deadline))[0])

    def _collect(self, refs: list[Any]) -> list[ActorHandle]:
        """Take answers that are ready, and return the actors that have ended, whose calls stay."""
        import ray

        dead: dict[int, ActorHandle] = {}
        for ref in refs:
            worker, ids = self._calls[ref]
            try:
                columns, data = ray.get(ref)
            except ray.exceptions.RayError as exc:
                worker.death = exc
                dead[worker.number] = worker
                continue
            self._pool.write(ids, columns, 0)
            message: SideMessage | None = None if data is None else pickle.loads(data)  # noqa: S301 - of our actor
            del self._calls[ref]
            for i in ids:
                self._note_result(i, None if message is None else message.part_of(i))
        return list(dead.values())

    def _replace(self, dead: Sequence[PoolWorker], deadline: float | None) -> None:
        try:
            super()._replace(dead, deadline)
        finally:
            self._calls = {ref: call for ref, call in self._calls.items() if any(self._awaited[call[1]] >= 0)}
