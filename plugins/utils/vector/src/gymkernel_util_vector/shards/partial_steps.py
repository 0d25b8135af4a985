"""`PartialSteps`: steps of single environments, for `send` and `recv`, whose results are taken as they become ready."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import NoAsyncCallError
from gymkernel_util_vector.shards.answers import restart_worker
from gymkernel_util_vector.shards.arguments import check_count
from gymkernel_util_vector.shards.errors import env_names, raise_failures

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_util_vector.shards.batches import BatchState
    from gymkernel_util_vector.shards.messages import SideMessage
    from gymkernel_util_vector.shards.pool import Pool, PoolWorker

__all__ = ["PartialSteps"]


class PartialSteps(ABC):
    """Steps of single environments that are under way, or ready and not received.

    Each step of an environment has a number. What a backend brings is how actions travel, and how it waits.

    Args:
        pool: of the vector environment.
        state: of it.
        restart: whether workers that have ended are started again.
    """

    _pool: Pool
    _phase = "recv"
    """What waits, for the error of workers that are late."""

    def __init__(self, pool: Pool, state: BatchState, *, restart: bool) -> None:
        self._pool, self._state, self._restart = pool, state, restart
        n = state.num_envs
        self._number = np.zeros(n, np.int64)
        """Number of the last step of each environment."""
        self._awaited = np.full(n, -1, np.int64)
        """Number of the step that is under way, -1 for none."""
        self._ready: deque[int] = deque()
        """Environments with a result, the oldest first."""
        self._messages: dict[int, SideMessage] = {}
        """Those of results that are ready."""
        self.pending = 0
        """Number of results that were sent for and not received."""

    @abstractmethod
    def _take_actions(self, actions: Any, env_ids: NDArray[np.int64]) -> Sequence[Any] | None:
        """The action of each of some environments; None where workers have them already."""

    @abstractmethod
    def _submit(self, env_ids: NDArray[np.int64], actions: Sequence[Any] | None, buffer: int) -> None:
        """Tell workers of actions, whose results go into a buffer."""

    @abstractmethod
    def _wait(self, wanted: int, deadline: float | None, timeout: float | None) -> None:
        """Wait until so many results are ready."""

    @abstractmethod
    def _is_ready(self, deadline: float | None) -> bool:
        """Sleep until a result is ready, or a worker has ended; False where the deadline passes before."""

    def send(self, actions: Any, env_ids: Any) -> None:
        """Arguments and errors are those of `ShardedVectorEnv.send`."""
        state, ids = self._state, self._checked(env_ids)
        state.assert_ready(ids)
        buffer = state.use_buffer(0, keep=not self.pending)  # all of them write into the first one
        items = self._take_actions(actions, ids)
        self._drop_messages(ids.tolist())  # of results that were received, if Ctrl-C came just then
        try:
            self._number[ids] += 1
            self._awaited[ids] = self._number[ids]
            self.pending += len(ids)
            self._submit(ids, items, buffer)
        except BaseException:  # Ctrl-C: nobody knows what was noted, and which workers have heard
            self.drop()
            raise

    def _checked(self, env_ids: Any) -> NDArray[np.int64]:
        n = self._state.num_envs
        if type(env_ids) is list and len(env_ids) == 1 and type(i := env_ids[0]) is int and self._is_idle(i):
            return np.array(env_ids)  # the rest takes twenty times as long
        try:
            ids = np.arange(n) if env_ids is None else np.atleast_1d(np.asarray(env_ids))
        except ValueError:  # lists of several lengths
            ids = np.empty(0)
        if ids.ndim != 1 or not len(ids) or ids.dtype.kind not in "iu":
            hint = "; np.flatnonzero(mask) has those of a mask" if ids.dtype.kind == "b" else ""
            raise ValueError(f"Expected env_ids to be a list of indices of environments, got {env_ids!r}{hint}")
        if ids.min() < 0 or ids.max() >= n or len(np.unique(ids)) != len(ids):
            raise ValueError(f"Expected env_ids to be different indices from 0 to {n - 1}, got {ids.tolist()}")
        busy = ids[self._awaited[ids] >= 0].tolist() + [i for i in ids.tolist() if i in self._ready]
        if busy:
            raise ValueError(f"{env_names(sorted(busy))} act already: recv() their results before the next send")
        return ids

    def _is_idle(self, i: int) -> bool:
        return 0 <= i < self._state.num_envs and self._awaited[i] < 0 and i not in self._ready

    def recv(self, batch_size: int | None, deadline: float | None, timeout: float | None) -> Any:
        """See `ShardedVectorEnv.recv`; the timeout is for the message of the error.

        Args:
            batch_size: how many results; None for all that are awaited.
            deadline: of the monotonic clock; None for none.
            timeout: in seconds, for the message of the error.
        """
        if batch_size is not None and type(batch_size) is not int:
            check_count("batch_size", batch_size, or_else="None")
        self._assert_pending("recv")
        wanted = self.pending if batch_size is None else batch_size
        if not 0 < wanted <= self.pending:
            message = f"Expected to receive 1 to {self.pending} results, which are awaited, got batch_size={batch_size}"
            raise NoAsyncCallError(message, "send")
        ids, messages = self._results(wanted, deadline, timeout)
        batch = self._state.partial_batch(ids, messages)
        self._drop_results(ids, islice(self._ready, wanted, None))  # at the very end: a Ctrl-C before loses nothing
        return batch

    def poll(self, deadline: float | None) -> bool:
        """See `ShardedVectorEnv.poll`.

        Args:
            deadline: of the monotonic clock; None for none.
        """
        self._assert_pending("poll")
        return self._is_ready(deadline)

    def _assert_pending(self, name: str) -> None:
        if not self.pending:
            raise NoAsyncCallError(f"{name} was called, and no results are awaited: call send first", "send")

    def step(
        self, actions: Any, env_ids: NDArray[np.int64], deadline: float | None, timeout: float | None
    ) -> list[SideMessage]:
        """Have some environments act, and wait for all of them; what came by message.

        Args:
            actions: a batch, one for each of `env_ids`.
            env_ids: indices of environments.
            deadline: of the monotonic clock; None for none.
            timeout: in seconds, for the message of the error.
        """
        self._phase = "step_masked"
        try:
            self.send(actions, env_ids)
            ids, messages = self._results(len(env_ids), deadline, timeout)
            self._drop_results(ids, ())
        except BaseException:
            self.drop()
            raise
        finally:
            self._phase = "recv"
        return messages

    def resume(self) -> None:
        """Go on after a Ctrl-C: what was noted as ready is not under way any more."""
        self._awaited[list(self._ready)] = -1

    def drop(self) -> None:
        """Await nothing any more; what environments answer to what was sent is not taken."""
        self._awaited[:] = -1
        self._ready.clear()
        self._messages.clear()
        self.pending = 0

    def _results(
        self, wanted: int, deadline: float | None, timeout: float | None
    ) -> tuple[list[int], list[SideMessage]]:
        """Wait for some results, which stay: whose they are, and what came by message, which the state has."""
        self._wait(wanted, deadline, timeout)
        ids = list(islice(self._ready, wanted))
        messages = {i: self._messages[i] for i in ids if i in self._messages} if self._messages else {}
        failures = [failure for message in messages.values() for failure in message.failures]
        if failures:
            failed = {failure.index for failure in failures}
            self._state.require_reset(sorted(failed))
            self._drop_results(failed, [i for i in self._ready if i not in failed])  # the others are received next
            raise_failures(failures)
        self._state.apply(messages.values())
        return ids, list(messages.values())

    def _drop_results(self, env_ids: Collection[int], rest: Iterable[int]) -> None:
        """Be done with results of some environments, all of them at once, whenever Ctrl-C comes.

        Args:
            env_ids: whose results these are.
            rest: the other environments with a result, the oldest first.
        """
        ready, pending = deque(rest), self.pending - len(env_ids)
        self._ready, self.pending = ready, pending
        self._drop_messages(env_ids)

    def _drop_messages(self, env_ids: Iterable[int]) -> None:
        if self._messages:
            for i in env_ids:
                self._messages.pop(i, None)

    def _note_result(self, i: int, message: SideMessage | None) -> None:
        """Have a result that is ready."""
        if message is not None:
            self._messages[i] = message
        self._ready.append(i)
        self._awaited[i] = -1  # after that: see `resume`

    def _replace(self, dead: Sequence[PoolWorker], deadline: float | None) -> None:
        """Raise for workers that have ended, or start them again and end the episodes of their environments."""
        if not self._restart:
            for worker in dead:
                lost = [i for i in worker.indices if self._awaited[i] >= 0]
                self._awaited[lost] = -1
                self.pending -= len(lost)
                self._state.require_reset(worker.indices)
            raise self._pool.error_of(dead, "step")
        for worker in dead:
            self._restart_worker(worker, deadline)

    def _restart_worker(self, worker: PoolWorker, deadline: float | None) -> None:
        """Start a worker again, and have the truncated rows of its environments of which a result is awaited."""
        state, awaited = self._state, [i for i in worker.indices if self._awaited[i] >= 0]
        state.apply([self._messages[i] for i in worker.indices if i in self._messages])  # results that are ready
        state.restore_rows(awaited)
        try:
            message = restart_worker(self._pool, state, worker, "step", deadline, awaited)
        except BaseException:
            state.restore_rows(awaited)
            raise
        state.apply([message])
        for i in awaited:
            self._note_result(i, message.part_of(i))
