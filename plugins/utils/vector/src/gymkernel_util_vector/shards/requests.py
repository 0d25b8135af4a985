"""`RequestQueue`: a vector environment that sends its calls to workers and checks the order of the calls."""

from __future__ import annotations

import time
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.error import AlreadyPendingCallError, ClosedEnvironmentError, NoAsyncCallError
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed
from gymkernel.vector_env import VectorEnv, check_mask, reset_mask, seeds
from gymkernel_util_vector.shards.answers import restart_worker
from gymkernel_util_vector.shards.arguments import check_count, check_seconds
from gymkernel_util_vector.shards.errors import env_names, raise_failures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from gymkernel_util_vector.shards.batches import BatchState
    from gymkernel_util_vector.shards.messages import SideMessage
    from gymkernel_util_vector.shards.pending_steps import PendingSteps
    from gymkernel_util_vector.shards.shard_pool import PoolWorker, ShardPool

    Batch = tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]

__all__ = ["AsyncState", "RequestQueue"]

LONGEST_TIMEOUT: Final = 1e6
"""The longest timeout in seconds. Longer timeouts, which operating systems refuse, are treated as no limit."""


class AsyncState(Enum):
    """The kind of call whose results an asynchronous vector environment is waiting for."""

    DEFAULT = "default"
    """No call is waiting for results, so the next call may start."""
    WAITING_RESET = "reset"
    WAITING_STEP = "step"
    WAITING_CALL = "call"


class RequestQueue(VectorEnv[ObsType, ActType, ArrayType]):
    """A vector environment whose calls are requests to the workers of a `ShardPool`.

    The vector environment is always in one of the following three states, and every call is a transition between them:

    * Idle: any call may start.
    * A request to all environments is under way: a reset, a step or a call. All workers answer, and their answers are
      received together. `step` does the work of `step_async` and `step_wait` without setting `_state` in between.
    * Steps of individual environments are under way or ready. `_pending` has the state of each environment. `send`
      requests individual steps, `recv` receives the first results, and `step_masked` requests individual steps and
      receives all results.

    In every state, `_replace` handles workers that have died. Ctrl-C abandons a request to all environments, whereas
    individual steps stay under way until any call except `recv` or `poll` discards them.
    """

    copy: bool
    _timeout: float | None = None
    _pool: ShardPool
    _batches: BatchState
    _restart: bool
    """Whether to restart workers that have died."""
    _pending: PendingSteps
    _state = AsyncState.DEFAULT
    """The call that is waiting for its results. Programs compare this attribute with members of `AsyncState`."""
    _interrupted = False
    """Whether Ctrl-C ended the last `send`, `recv` or `poll`, so that the next call may drop the awaited results."""
    _reset_ids: Sequence[int] = ()
    """The environments that the last reset selected."""

    # Requests to all environments

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Start an episode in every environment, or in those that `options["reset_mask"]` selects."""
        self._submit_reset(seed, options)
        return self._reset_results(None)

    def reset_async(self, seed: Seed = None, options: Options = None) -> None:
        """Start episodes without waiting for the results. Takes the arguments of `gymkernel.vector.VectorEnv.reset`."""
        self._submit_reset(seed, options)
        self._state = AsyncState.WAITING_RESET

    def reset_wait(self, timeout: float | None = None) -> tuple[ObsType, Info]:
        """Wait for the results of `reset_async`.

        Args:
            timeout: how many seconds to wait; None for the vector environment's timeout.

        Raises:
            WorkerTimeoutError: if some environments did not respond in time. Results that arrive later are dropped.
            WorkerError: if an environment failed or a worker died.
        """
        self._end_async(AsyncState.WAITING_RESET, timeout)
        return self._reset_results(timeout)

    def _submit_reset(self, seed: Any, options: Options) -> None:
        self._assert_idle("reset_async")
        seed_of = seeds(seed, self.num_envs)
        mask, options = reset_mask(options, self.num_envs)
        self._reset_ids = list(range(self.num_envs)) if mask is None else np.flatnonzero(mask).tolist()
        buffer = self._batches.next_buffer(keep=mask is not None)
        self._pool.submit_reset([(i, seed_of[i]) for i in self._reset_ids], options, buffer)

    def _reset_results(self, timeout: float | None) -> tuple[ObsType, Info]:
        messages = self._answers("reset", timeout)
        return self._batches.reset_batch(self._reset_ids, messages, copy=self.copy)  # type: ignore[no-any-return]

    def step(self, actions: ActType) -> Batch[ObsType, ArrayType]:
        """Step every environment. In NEXT_STEP mode, reset environments whose episodes have ended instead."""
        self._submit_step(actions)
        return self._step_results(None)

    def step_async(self, actions: ActType) -> None:
        """Start a step without waiting for the results. Takes the arguments of `gymkernel.vector.VectorEnv.step`."""
        self._submit_step(actions)
        self._state = AsyncState.WAITING_STEP

    def step_wait(self, timeout: float | None = None) -> Batch[ObsType, ArrayType]:
        """Wait for the results of `step_async`. The argument and the errors are the same as for `reset_wait`."""
        self._end_async(AsyncState.WAITING_STEP, timeout)
        return self._step_results(timeout)

    def _submit_step(self, actions: ActType) -> None:
        self._assert_idle("step_async")
        pool, batches = self._pool, self._batches
        if not batches.ready:
            batches.assert_ready()
        written = pool.is_idle() and batches.write_actions(actions)
        items = None if written else batches.split_actions(actions, self.num_envs)
        pool.submit_step(items, batches.next_buffer(keep=False))

    def _step_results(self, timeout: float | None) -> Batch[ObsType, ArrayType]:
        return self._batches.batch(self._answers("step", timeout), copy=self.copy)  # type: ignore[no-any-return]

    def _answers(self, phase: str, timeout: float | None) -> list[SideMessage]:
        """Wait for the answers of all workers to the last request, and return their messages."""
        deadline = self._deadline(timeout)
        messages, late, dead = self._pool.wait(deadline)
        if not (messages or late or dead):
            return []
        if late or dead:
            self._batches.drop(messages)
        if late and (self._restart or not dead):
            raise self._pool.late_error(late, phase, self._seconds(timeout))
        messages += self._replace(dead, phase, deadline)
        failures = [failure for message in messages for failure in message.failures]
        if failures:
            self._batches.drop(messages)
            self._batches.require_reset([failure.index for failure in failures if phase in {"reset", "step"}])
            raise_failures(failures)
        return messages  # type: ignore[no-any-return]

    # Requests to individual environments

    def step_masked(self, actions: ActType, mask: Mask) -> Batch[ObsType, ArrayType]:
        """Step the environments that a mask selects. The others return their last observation, reward 0 and no info."""
        self._assert_idle("step_masked")
        check_mask(mask, self.num_envs)
        batches, ids, messages = self._batches, np.flatnonzero(mask), []
        if len(ids):
            chosen = batches.choose_actions(actions, ids)
            try:
                self._submit_steps(chosen, ids, together=True)
                messages = self._results(len(ids), "step_masked", self._deadline(None), self._timeout)[1]
                self._pending.receive(ids.tolist(), ())
            except BaseException:
                self._drop()
                raise
        return batches.masked_batch(mask, messages, copy=self.copy)  # type: ignore[no-any-return]

    def send(self, actions: Any, env_ids: Any = None) -> None:
        """Start stepping some environments without waiting. `recv` returns the results as they become ready.

        Args:
            actions: a batch of actions, one for each of `env_ids`.
            env_ids: the indices of the environments, which must not have pending results; None for all environments.

        Raises:
            ValueError: if an index is repeated or out of range, an environment's previous result has not been received
                yet, no index is given, or the number of actions is wrong.
        """
        try:
            self._assert_idle("send", single=True)
            self._submit_steps(actions, self._env_ids(env_ids), together=False)
        except BaseException as exc:
            self._interrupted = not isinstance(exc, Exception)
            raise

    def recv(
        self, batch_size: int | None = None, timeout: float | None = None
    ) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info, NDArray[np.int64]]:
        """Wait for the first results of the steps that `send` requested.

        Args:
            batch_size: the number of results to return; None for all pending results.
            timeout: how many seconds to wait; 0 to return only results that are ready now; None for the vector
                environment's timeout.

        Returns:
            observations, rewards, terminations, truncations and infos of `batch_size` environments, in the order in
            which they became ready, and the indices of these environments.

        Raises:
            NoAsyncCallError: if no results are pending, or fewer results than `batch_size`.
            TypeError, ValueError: if an argument is invalid. The results can still be received.
            WorkerTimeoutError: if too few results were ready in time. No result is lost, and `recv` may be called
                again.
            WorkerError: if an environment failed or a worker died.
        """
        try:
            pending = self._pending_steps("recv", timeout)
            if batch_size is not None and type(batch_size) is not int:
                check_count("batch_size", batch_size, or_else="None")
            wanted = pending.count if batch_size is None else batch_size
            if not 0 < wanted <= pending.count:
                raise NoAsyncCallError(  # noqa: TRY301 - Ctrl-C and errors share the except clause
                    f"Expected to receive 1 to {pending.count} results, which are awaited, got batch_size={batch_size}",
                    "send",
                )
            ids, messages = self._results(wanted, "recv", self._deadline(timeout), self._seconds(timeout))
            batch = self._batches.partial_batch(ids, messages)
            pending.receive(ids, islice(pending.ready, wanted, None))  # last, so that an earlier Ctrl-C loses no result
        except BaseException as exc:
            self._interrupted = not isinstance(exc, Exception)
            raise
        self._interrupted = False
        return batch  # type: ignore[no-any-return]

    def poll(self, timeout: float | None = 0.0) -> bool:
        """Wait until `recv` has a result to return or an error to raise, and return whether this happened in time.

        This method sleeps, whereas `recv` first spins for a millisecond, which is faster if steps take microseconds. If
        steps take longer, call `poll` before `recv` to leave the processor to the workers.

        Args:
            timeout: how many seconds to wait; 0 to return immediately; None for no limit.

        Returns:
            False if no result was ready in time.

        Raises:
            NoAsyncCallError: if no result is pending.
        """
        try:
            pending = self._pending_steps("poll", timeout)
            endless = timeout is None or timeout > LONGEST_TIMEOUT
            return self._pool.poll_steps(pending, None if endless else time.monotonic() + float(timeout or 0))
        except BaseException as exc:
            self._interrupted = not isinstance(exc, Exception)
            raise

    def _pending_steps(self, caller: str, timeout: Any) -> PendingSteps:
        """Return the record of pending steps. Raise an error if no results are pending."""
        self._assert_open()
        check_seconds("timeout", timeout, zero=True)
        if self._interrupted:
            self._pending.resume()
        if not self._pending.count:
            self._assert_single_steps()
            raise NoAsyncCallError(f"{caller} was called, and no results are awaited: call send first", "send")
        return self._pending

    def _assert_single_steps(self) -> None:
        if not self._pool.single_steps:
            raise NotImplementedError(f"{type(self).__name__} steps all environments at a time")

    def _env_ids(self, env_ids: Any) -> NDArray[np.int64]:
        """Return indices of idle environments as an array."""
        n, pending = self.num_envs, self._pending
        is_index = type(env_ids) is list and len(env_ids) == 1 and type(i := env_ids[0]) is int and 0 <= i < n
        if is_index and pending.is_idle(i):
            return np.array(env_ids)  # the other checks take twenty times as long
        try:
            ids = np.arange(n) if env_ids is None else np.atleast_1d(np.asarray(env_ids))
        except ValueError:  # nested lists of different lengths
            ids = np.empty(0)
        if ids.ndim != 1 or not len(ids) or ids.dtype.kind not in "iu":
            hint = "; np.flatnonzero(mask) returns the indices of a mask" if ids.dtype.kind == "b" else ""
            raise ValueError(f"Expected env_ids to be a list of indices of environments, got {env_ids!r}{hint}")
        if ids.min() < 0 or ids.max() >= n or len(np.unique(ids)) != len(ids):
            raise ValueError(f"Expected env_ids to be different indices from 0 to {n - 1}, got {ids.tolist()}")
        busy = [i for i in ids.tolist() if not pending.is_idle(i)]
        if busy:
            raise ValueError(f"{env_names(sorted(busy))} act already: call recv() before the next send to them")
        return ids

    def _submit_steps(self, actions: Any, ids: NDArray[np.int64], *, together: bool) -> None:
        self._assert_single_steps()
        pool, batches, pending = self._pool, self._batches, self._pending
        batches.assert_ready(ids)
        buffer = batches.use_buffer(0, keep=not pending.count)  # individual steps write into the ring's first buffer
        written = pool.may_write_actions() and batches.write_actions(actions, ids, len(ids))
        items = None if written else batches.split_actions(actions, len(ids))
        if self._restart:
            batches.save_rows(ids)
        try:
            pending.request(ids)
            pool.submit_steps(pending, ids, items, buffer, together=together)
        except BaseException:  # after Ctrl-C, we cannot know which workers have received the request
            self._drop()
            raise

    def _results(
        self, wanted: int, phase: str, deadline: float | None, seconds: float | None
    ) -> tuple[list[int], list[SideMessage]]:
        """Wait for the first results, and return their environments and messages. The results stay in the queue."""
        pool, pending = self._pool, self._pending
        while dead := pool.wait_steps(pending, wanted, deadline):
            self._replace(dead, "step", deadline)
        if len(pending.ready) < wanted:
            busy = np.flatnonzero(pending.awaited >= 0).tolist()
            late = [worker for worker in pool.workers if pending.awaited_of(worker.indices)]
            raise pool.late_error(late, phase, seconds, busy)
        ids = list(islice(pending.ready, wanted))
        messages = [pending.messages[i] for i in ids if i in pending.messages] if pending.messages else []
        failures = [failure for message in messages for failure in message.failures]
        if failures:
            failed = {failure.index for failure in failures}
            self._batches.require_reset(sorted(failed))
            pending.receive(failed, [i for i in pending.ready if i not in failed])  # the next call returns the others
            raise_failures(failures)
        self._batches.apply(messages)
        return ids, messages

    # Workers that have died

    def _replace(self, dead: Sequence[PoolWorker], phase: str, deadline: float | None) -> list[SideMessage]:
        """Restart workers that have died, and return their answers. If `_restart` is false, raise an error."""
        pending, batches = self._pending, self._batches
        if dead and not self._restart:
            lost = pending.awaited_of(i for worker in dead for i in worker.indices)
            pending.awaited[lost] = -1
            pending.count -= len(lost)
            batches.require_reset([i for worker in dead for i in worker.indices])
            raise self._pool.error_of(dead, phase)
        single = bool(pending.count)
        return [self._restart_worker(worker, phase, deadline, single=single) for worker in dead]

    def _restart_worker(self, worker: PoolWorker, phase: str, deadline: float | None, *, single: bool) -> SideMessage:
        """Restart a worker, and return its answer, which truncates the episodes of the requested steps."""
        pending, batches = self._pending, self._batches
        if not single:
            return restart_worker(self._pool, batches, worker, phase, deadline)
        awaited = pending.awaited_of(worker.indices)
        batches.apply([pending.messages[i] for i in worker.indices if i in pending.messages])  # results that are ready
        batches.restore_rows(awaited)
        try:
            message = restart_worker(self._pool, batches, worker, phase, deadline, awaited)
        except BaseException:
            batches.restore_rows(awaited)
            raise
        batches.apply([message])
        pending.note_answer(awaited, message)
        return message

    # Checks whether a call may start

    def _assert_open(self) -> None:
        if self.closed:
            raise ClosedEnvironmentError(f"{self} is closed; make a new one")

    def _assert_idle(self, caller: str, *, single: bool = False) -> None:
        """Raise an error if results are awaited.

        If results of individual steps are awaited, the call is allowed only if it requests individual steps as well, or
        if Ctrl-C interrupted the wait for the results.
        """
        if self.closed:
            self._assert_open()
        if self._state is not AsyncState.DEFAULT:
            name = self._state.value
            message = f"{caller} was called while {name}_async waits for its results: call {name}_wait first"
            raise AlreadyPendingCallError(message, name)
        if self._pending.count and not single:
            if not self._interrupted:
                message = f"{caller} was called while results of send are awaited: call recv() first"
                raise AlreadyPendingCallError(message, "send")
            self._drop()

    def _drop(self) -> None:
        """Abandon all pending steps of individual environments."""
        self._batches.drop(self._pending.messages.values())
        self._pending.clear()
        self._pool.drop_steps()

    def _end_async(self, state: AsyncState, timeout: float | None) -> None:
        """Reset `_state`, so that the next call may start even if waiting for the results fails."""
        try:
            self._assert_open()
            check_seconds("timeout", timeout, zero=True)
            if self._state is not state:
                name, message = state.value, f"{state.value}_wait was called, and no {state.value}_async before it"
                raise NoAsyncCallError(message, name)  # noqa: TRY301 - Ctrl-C and errors share the except clause
            self._state = AsyncState.DEFAULT
        except BaseException as exc:
            if not isinstance(exc, Exception):  # Ctrl-C
                self._state = AsyncState.DEFAULT
            raise

    def _seconds(self, timeout: float | None) -> float | None:
        return self._timeout if timeout is None else float(timeout)

    def _deadline(self, timeout: float | None) -> float | None:
        seconds = self._seconds(timeout)
        return None if seconds is None or seconds > LONGEST_TIMEOUT else time.monotonic() + seconds
