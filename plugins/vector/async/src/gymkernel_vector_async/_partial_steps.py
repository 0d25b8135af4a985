"""`PartialSteps`: steps of single environments over shared memory, for `send` and `recv`."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_util_vector.shards import partial_steps
from gymkernel_vector_async._control_block import YIELDS, fence
from gymkernel_vector_async._transport import remaining

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_util_vector.shards.batches import BatchState
    from gymkernel_util_vector.shards.messages import ShardSettings
    from gymkernel_vector_async._pool import WorkerPool
    from gymkernel_vector_async._worker_handle import WorkerHandle

__all__ = ["PartialSteps"]


class PartialSteps(partial_steps.PartialSteps):
    """Steps of single environments that are under way, or ready and not received.

    Each step of an environment has a number. The parent writes it into `requested`, the worker into `completed` once
    the results are in their arrays; and into `with_message` before, where a message follows, which is a part of them.

    Args:
        pool: of the vector environment.
        state: of it.
        arrays: in shared memory, by name.
        settings: of the workers.
        shared_memory: whether workers write observations where the last ones are.
    """

    _pool: WorkerPool

    def __init__(
        self,
        pool: WorkerPool,
        state: BatchState,
        arrays: dict[str, Any],
        settings: ShardSettings,
        *,
        shared_memory: bool,
    ) -> None:
        super().__init__(pool, state, restart=settings.restart)
        self._yields = 0 if settings.oversubscribed else YIELDS // 4
        self._in_place = settings.restart and shared_memory
        self._requested, self._completed, self._with_message = (
            arrays[name] for name in ("requested", "completed", "with_message")
        )
        self._local_actions: deque[tuple[int, int, Any]] = deque()
        """(environment, number of the step, action) for the local shard."""
        self._dropped = False
        """Whether shared actions may still be read for steps that were given up."""

    def _take_actions(self, actions: Any, env_ids: NDArray[np.int64]) -> Sequence[Any] | None:
        state = self._state
        if self._dropped:
            self._dropped = bool((self._requested != self._completed).any())
        free = not self._dropped and not self._pool.is_stepping()
        written = free and state.write_actions(actions, env_ids, len(env_ids))
        return None if written else state.split_actions(actions, len(env_ids))

    def _submit(self, env_ids: NDArray[np.int64], actions: Sequence[Any] | None, buffer: int) -> None:
        if self._in_place:
            self._state.save_rows(env_ids)
        local = self._pool.local_envs
        if actions is None and not local:
            fence()
            self._requested[env_ids] = self._number[env_ids]
            fence()
            try:
                self._pool.submit_partial_steps(env_ids, buffer)
            except BaseException:  # Ctrl-C: some of the workers have not heard
                self._pool.submit_partial_steps(env_ids, buffer)
                raise
            return
        items = self._state.written_actions(env_ids) if actions is None else actions
        for i, action in zip(env_ids.tolist(), items, strict=True):
            if i in local:
                self._local_actions.append((i, int(self._number[i]), action))
            else:
                self._pool.submit_step_of(i, int(self._number[i]), action, buffer)

    def drop(self) -> None:
        """Await nothing any more; what environments answer to what was sent is not taken."""
        super().drop()
        self._local_actions.clear()
        self._dropped = True

    def _wait(self, wanted: int, deadline: float | None, timeout: float | None) -> None:
        yields = self._yields
        while self._collect() < wanted:
            if self._local_actions:
                i, number, action = self._local_actions[0]
                if self._awaited[i] == number:  # where Ctrl-C ends the step, the next wait begins it again
                    self._note_result(i, self._pool.step_local(i, action, 0))
                self._local_actions.popleft()
            elif yields:
                os.sched_yield()
                yields -= 1
            elif remaining(deadline) == 0:
                busy = np.flatnonzero(self._awaited >= 0)
                raise self._pool.late_error(self._pool.workers_of(busy), self._phase, timeout, busy.tolist())
            else:
                dead = self._sleep(wanted, deadline)
                if dead:
                    self._collect()
                    self._replace(dead, deadline)

    def _sleep(self, wanted: int, deadline: float | None) -> list[WorkerHandle]:
        """Sleep until so many results are ready, the deadline has passed, or workers have ended: those."""
        under_way = np.flatnonzero(self._awaited >= 0)
        return self._pool.sleep_until(lambda: self._collect() >= wanted, under_way, deadline)

    def _is_ready(self, deadline: float | None) -> bool:
        return bool(self._collect() or self._local_actions or self._sleep(1, deadline) or self._ready)

    def _collect(self) -> int:
        """Note what has become ready; how much there is.

        Who takes a message may take in what was sent after it, too, such as the message of a result that was not ready
        when this looked. Nobody is woken by that again, so this looks until there is none.
        """
        while self._note_results():
            pass
        return len(self._ready)

    def _note_results(self) -> bool:
        """Note what is ready at this moment; whether a message was taken."""
        found = np.flatnonzero(self._completed == self._awaited)
        if not len(found):
            return False
        told = set(found[self._with_message[found] == self._number[found]].tolist())
        ids = [i for i in found.tolist() if i not in told or self._has_message(i)]
        self._ready.extend(ids)
        self._awaited[ids] = -1  # after that: Ctrl-C in between loses nothing, see `resume`
        return not told.isdisjoint(self._messages)

    def _has_message(self, i: int) -> bool:
        """Whether the message that goes with a result has come; it is sent after the result was published."""
        worker, messages = self._pool.worker_of(i), self._messages
        while i not in messages and (found := worker.first_message()) is not None:
            _, partial_step, message = found
            if partial_step is not None and partial_step[1] == self._awaited[partial_step[0]]:
                messages[partial_step[0]] = message  # else it is of a result that nobody awaits
            worker.drop_message()  # after a Ctrl-C before this, it is found again, which changes nothing
        return i in messages
