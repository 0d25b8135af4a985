"""`PartialSteps`: steps of single environments, for `send` and `recv`, whose results are taken as they become ready."""

from __future__ import annotations

import os
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import NoAsyncCallError
from gymkernel.vector.shards import SideMessage, env_names, raise_failures, restart_info, timeout_error
from gymkernel_vector_async._control_block import YIELDS, fence
from gymkernel_vector_async._transport import remaining

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gymkernel.vector.shards import BatchState, ShardSettings
    from gymkernel_vector_async._pool import WorkerPool
    from gymkernel_vector_async._worker_handle import WorkerHandle

__all__ = ["PartialSteps"]


class PartialSteps:
    """Steps of single environments that are under way, or ready and not received.

    Each step of an environment has a number. The parent writes it into `requested`, the worker into `completed` once
    the results are in their arrays; and into `with_message`, where a message was sent before.

    Args:
        pool: of the vector environment.
        state: of it.
        arrays: in shared memory, by name.
        settings: of the workers.
    """

    def __init__(self, pool: WorkerPool, state: BatchState, arrays: dict[str, Any], settings: ShardSettings) -> None:
        self._pool, self._state, n = pool, state, pool.num_envs
        self._restart = settings.restart
        self._yields = 0 if settings.oversubscribed else YIELDS // 4
        self._requested, self._completed, self._with_message = (
            arrays[name] for name in ("requested", "completed", "with_message")
        )
        self._number = np.zeros(n, np.int64)
        """Number of the last step of each environment."""
        self._awaited = np.full(n, -1, np.int64)
        """Number of the step that is under way, -1 for none."""
        self._ready: deque[int] = deque()
        """Environments with a result, the oldest first."""
        self._messages: dict[int, SideMessage] = {}
        """Those of results that are ready."""
        self._local_actions: deque[tuple[int, Any]] = deque()
        """Actions for the local shard."""
        self._restarted: set[int] = set()
        """Environments that were made anew in the middle of an episode, which the next result has to tell."""
        self.pending = 0
        """Number of results that were sent for and not received."""

    def send(self, actions: Any, env_ids: Any) -> None:
        """See `AsyncVectorEnv.send`."""
        state, ids = self._state, self._checked(env_ids)
        state.assert_ready(ids)
        buffer = state.use_buffer(0, keep=not self.pending)  # all of them write into the first one
        written = not self._pool.is_stepping() and state.write_actions(actions, ids, len(ids))
        items = None if written else state.split_actions(actions, len(ids))
        self._number[ids] += 1
        self._awaited[ids] = self._number[ids]
        self.pending += len(ids)
        try:
            self._submit(ids, items, buffer)
        except BaseException:  # Ctrl-C: some of the workers have not heard
            self.drop()
            raise

    def _submit(self, ids: NDArray[np.int64], items: Sequence[Any] | None, buffer: int) -> None:
        """Tell workers of actions, which are in shared memory where there are no `items`."""
        restarted = self._restarted.intersection(ids.tolist()) if self._restarted else ()
        local = self._pool.local_envs
        if items is None and not restarted and not local:
            fence()
            self._requested[ids] = self._number[ids]
            fence()
            self._pool.submit_partial_steps(ids, buffer)
            return
        items = self._state.written_actions(ids) if items is None else items
        for i, action in zip(ids.tolist(), items, strict=True):
            if i in restarted:
                self._end_episode(i, "its worker ended")
            elif i in local:
                self._local_actions.append((i, action))
            else:
                self._pool.submit_step_of(i, int(self._number[i]), action, buffer)

    def _checked(self, env_ids: Any) -> NDArray[np.int64]:
        n = self._pool.num_envs
        ids = np.arange(n) if env_ids is None else np.atleast_1d(np.asarray(env_ids))
        if ids.ndim != 1 or not len(ids) or ids.dtype.kind not in "iu":
            raise ValueError(f"Expected env_ids to be indices of environments, got {env_ids!r}")
        if ids.min() < 0 or ids.max() >= n or len(np.unique(ids)) != len(ids):
            raise ValueError(f"Expected env_ids to be different indices from 0 to {n - 1}, got {ids.tolist()}")
        busy = ids[self._awaited[ids] >= 0].tolist() + [i for i in ids.tolist() if i in self._ready]
        if busy:
            raise ValueError(f"{env_names(sorted(busy))} act already: recv() their results before the next send")
        return ids

    def recv(self, batch_size: int | None, deadline: float | None, timeout: float | None) -> Any:
        """See `AsyncVectorEnv.recv`; the timeout is for the message of the error."""
        wanted = self.pending if batch_size is None else batch_size
        if not 0 < wanted <= self.pending:
            message = f"Expected to receive 1 to {self.pending} results, which are awaited, got batch_size={batch_size}"
            raise NoAsyncCallError(message, "send")
        ids, messages = self._take(wanted, deadline, timeout)
        return self._state.partial_batch(ids, messages)

    def step(
        self, actions: Any, env_ids: NDArray[np.int64], deadline: float | None, timeout: float | None
    ) -> list[SideMessage]:
        """Have some environments act, and wait for all of them; what came by message."""
        try:
            self.send(actions, env_ids)
            return self._take(len(env_ids), deadline, timeout)[1]
        except BaseException:
            self.drop()
            raise

    def drop(self) -> None:
        """Await nothing any more; what environments answer to what was sent is not taken."""
        self._awaited[:] = -1
        self._ready.clear()
        self._messages.clear()
        self._local_actions.clear()
        self.pending = 0

    def _take(self, wanted: int, deadline: float | None, timeout: float | None) -> tuple[list[int], list[SideMessage]]:
        """Wait for some results: which environments they are of, and what came by message, which the state has."""
        self._wait(wanted, deadline, timeout)
        ids = [self._ready.popleft() for _ in range(wanted)]
        self.pending -= wanted
        messages = {i: self._messages.pop(i) for i in ids if i in self._messages} if self._messages else {}
        failures = [failure for message in messages.values() for failure in message.failures]
        if failures:
            failed = {failure.index for failure in failures}
            rest = [i for i in ids if i not in failed]
            self._ready.extendleft(reversed(rest))  # their results are received next
            self._messages.update({i: messages[i] for i in rest if i in messages})
            self.pending += len(rest)
            self._state.require_reset(sorted(failed))
            raise_failures(failures)
        self._state.apply(messages.values())
        return ids, list(messages.values())

    def _wait(self, wanted: int, deadline: float | None, timeout: float | None) -> None:
        yields = self._yields
        while self._collect() < wanted:
            if self._local_actions:
                i, action = self._local_actions.popleft()
                self._note_result(i, self._pool.step_local(i, action, 0))
            elif yields:
                os.sched_yield()
                yields -= 1
            elif remaining(deadline) == 0:
                busy = np.flatnonzero(self._awaited >= 0)
                at_work = [worker.env_at_work() for worker in self._pool.workers_of(busy)]
                raise timeout_error(busy.tolist(), at_work, "recv", timeout)
            else:
                under_way = np.flatnonzero(self._awaited >= 0)
                dead = self._pool.sleep_unless(lambda: self._collect() >= wanted, under_way, deadline)
                if dead:
                    self._collect()
                    self._replace(dead, deadline)

    def _collect(self) -> int:
        """Note what has become ready; how much there is."""
        found = np.flatnonzero(self._completed == self._awaited)
        if len(found):
            self._awaited[found] = -1
            for i in found[self._with_message[found] == self._number[found]].tolist():
                self._fetch_message(i)
            self._ready.extend(found.tolist())
        return len(self._ready)

    def _fetch_message(self, i: int) -> None:
        """Get the message that goes with a result; it was sent before the result was published."""
        worker = self._pool.worker_of(i)
        while i not in self._messages:
            found = self._pool.next_message(worker)
            if found is None:
                break
            _, partial_step, message = found
            if partial_step is not None and partial_step[1] == self._number[partial_step[0]]:
                self._messages[partial_step[0]] = message  # else it is of a result that nobody awaits

    def _note_result(self, i: int, message: SideMessage | None) -> None:
        """Have a result that is ready without a worker."""
        if message is not None:
            self._messages[i] = message
        self._awaited[i] = -1
        self._ready.append(i)

    def _replace(self, dead: Sequence[WorkerHandle], deadline: float | None) -> None:
        """Raise for workers that have ended, or start them again and end the episodes of their environments."""
        error = self._pool.error_of(dead, "step")
        if not self._restart:
            for worker in dead:
                lost = [i for i in worker.indices if self._awaited[i] >= 0]
                self._awaited[lost] = -1
                self.pending -= len(lost)
                self._state.require_reset(worker.indices)
            raise error
        for worker in dead:
            self._requested[worker.indices] = self._completed[worker.indices] = self._number[worker.indices]
            self._with_message[worker.indices] = 0
            self._pool.restart(worker, "step", deadline)
            for i in worker.indices:
                if self._awaited[i] >= 0:
                    self._end_episode(i, str(error).partition("\n")[0])
                elif self._state.in_episode(i):
                    self._restarted.add(i)  # a result that is ready comes first

    def _end_episode(self, i: int, why: str) -> None:
        """A result for an environment whose worker ended: its episode is truncated."""
        self._state.truncate(i)
        self._restarted.discard(i)
        self._note_result(i, SideMessage(infos=[(i, restart_info(why))]))
