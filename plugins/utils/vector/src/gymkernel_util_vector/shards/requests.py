"""The class `RequestQueue`, a vector environment that sends calls to workers and checks the order of the calls."""

from __future__ import annotations

import time
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.error import AlreadyPendingCallError, ClosedEnvironmentError, NoAsyncCallError
from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed
from gymkernel.vector_env import VectorEnv, check_mask, reset_mask, seeds
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

__all__ = ["AsyncState", "RequestQueue", "remaining"]

LONGEST_TIMEOUT: Final = 1e6
"""The longest timeout in seconds. Longer timeouts count as no limit, because operating systems reject them."""


def remaining(deadline: float | None) -> float | None:
    """Return the number of seconds until a deadline: 0 if the deadline has passed, None if there is no deadline.

    Args:
        deadline: the deadline, as a time on the monotonic clock, or None.
    """
    return None if deadline is None else max(deadline - time.monotonic(), 0.0)


class AsyncState(Enum):
    """The call whose results an asynchronous vector environment is waiting for."""

    DEFAULT = "default"
    """No call is waiting for results, so any call may start."""
    WAITING_RESET = "reset"
    WAITING_STEP = "step"
    WAITING_CALL = "call"


class RequestQueue(VectorEnv[ObsType, ActType, ArrayType]):
    """A vector environment that sends its calls as requests to the workers of a `ShardPool`.

    The vector environment is always in one of three states, and every call is a transition between them:

    * Idle: any call may start.
    * A request to all environments (a reset, a step or a method call) is pending. All workers respond, and their
      responses are received together. `step` does the same as `step_async` and `step_wait`, but without setting
      `_state` in between.
    * Steps of individual environments are pending or ready. `_pending` contains the state of each environment. `send`
      requests individual steps, `recv` receives the first results, and `step_masked` requests individual steps and
      receives all results.

    In every state, `_replace` handles workers that have died. Ctrl-C abandons a request to all environments. Individual
    steps, however, stay pending until a call other than `recv` or `poll` discards them.
    """

    copy: bool
    _timeout: float | None = None
    _pool: ShardPool
    _batches: BatchState
    _restart: bool
    """Whether to restart workers that have died."""
    _pending: PendingSteps
    _state = AsyncState.DEFAULT
    """The call that is waiting for its results. Programs may compare it with the members of `AsyncState`."""
    _interrupted = False
    """Whether Ctrl-C ended the last `send`, `recv` or `poll`. If so, the next call may drop the pending results."""
    _reset_ids: Sequence[int] = ()
    """The environments that the last reset selected."""

    # Requests to all environments

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Start an episode in every environment, or only in the environments that `options["reset_mask"]` selects."""
        self._submit_reset(seed, options)
        return self._reset_results(None)

    def reset_async(self, seed: Seed = None, options: Options = None) -> None:
        """Request a reset without waiting for the results. The arguments are the same as for `reset`."""
        self._submit_reset(seed, options)
        self._state = AsyncState.WAITING_RESET

    def reset_wait(self, timeout: float | None = None) -> tuple[ObsType, Info]:
        """Wait for the results of `reset_async`.

        Args:
            timeout: how many seconds to wait, or None for the vector environment's own timeout.

        Raises:
            WorkerTimeoutError: if some environments do not respond in time. Results that arrive later are dropped.
            WorkerError: if an environment has failed or a worker has died.
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
        """Step every environment. In NEXT_STEP mode, environments whose episodes have ended are reset instead."""
        self._submit_step(actions)
        return self._step_results(None)

    def step_async(self, actions: ActType) -> None:
        """Request a step without waiting for the results. The argument is the same as for `step`."""
        self._submit_step(actions)
        self._state = AsyncState.WAITING_STEP

    def step_wait(self, timeout: float | None = None) -> Batch[ObsType, ArrayType]:
        """Wait for the results of `step_async`. The argument and the exceptions are the same as for `reset_wait`."""
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
        """Wait until all workers have responded to the last request, and return their side messages."""
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
        """Step the environments that a mask selects. The others return their last observation and a reward of 0."""
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
        """Request steps of some environments without waiting. `recv` returns the results as they become ready.

        Args:
            actions: a batch of actions, one for each of `env_ids`.
            env_ids: the indices of the environments, or None for all environments. They must not have pending results.

        Raises:
            ValueError: if there is no index, if an index is repeated or out of range, if the previous result of an
                environment has not been received yet, or if the number of actions is wrong.
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
            batch_size: the number of results to return, or None for all pending results.
            timeout: how many seconds to wait, 0 to return only results that are already available, or None for the
                vector environment's own timeout.

        Returns:
            The observations, rewards, terminations, truncations and infos of `batch_size` environments, in the order in
            which they became ready, and the indices of these environments.

        Raises:
            NoAsyncCallError: if no results are pending, or if fewer than `batch_size` results are pending.
            TypeError, ValueError: if an argument is invalid. The results can still be received.
            WorkerTimeoutError: if too few results become ready in time. No result is lost, and `recv` may be called
                again.
            WorkerError: if an environment has failed or a worker has died.
        """
        try:
            pending = self._pending_steps("recv", timeout)
            if batch_size is not None and type(batch_size) is not int:
                check_count("batch_size", batch_size, or_else="None")
            wanted = pending.count if batch_size is None else batch_size
            if not 0 < wanted <= pending.count:
                raise NoAsyncCallError(  # noqa: TRY301 - the except clause also handles Ctrl-C
                    f"Expected batch_size to be between 1 and {pending.count}, the number of pending results, "
                    f"got {batch_size}",
                    "send",
                )
            ids, messages = self._results(wanted, "recv", self._deadline(timeout), self._seconds(timeout))
            batch = self._batches.partial_batch(ids, messages)
            # This comes last, so that Ctrl-C cannot lose results before the batch is complete.
            pending.receive(ids, islice(pending.ready, wanted, None))
        except BaseException as exc:
            self._interrupted = not isinstance(exc, Exception)
            raise
        self._interrupted = False
        return batch  # type: ignore[no-any-return]

    def poll(self, timeout: float | None = 0.0) -> bool:
        """Wait until `recv` can return a result or raise an error. Return False if the timeout passes first.

        `recv` checks for results repeatedly for a millisecond before it sleeps, which is faster if steps take
        microseconds. `poll` sleeps immediately. If steps take longer, call `poll` before `recv` to leave the processor
        to the workers.

        Args:
            timeout: how many seconds to wait, 0 to return immediately, or None for no limit.

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
        """Return the record of pending steps, or raise an error if no results are pending."""
        self._assert_open()
        check_seconds("timeout", timeout, zero=True)
        if self._interrupted:
            self._pending.resume()
        if not self._pending.count:
            self._assert_single_steps()
            raise NoAsyncCallError(f"{caller} was called, but no results are pending; call send first", "send")
        return self._pending

    def _assert_single_steps(self) -> None:
        if not self._pool.single_steps:
            raise NotImplementedError(f"{type(self).__name__} can only step all environments together")

    def _env_ids(self, env_ids: Any) -> NDArray[np.int64]:
        """Check that indices belong to idle environments, and return them as an array."""
        n, pending = self.num_envs, self._pending
        is_index = type(env_ids) is list and len(env_ids) == 1 and type(i := env_ids[0]) is int and 0 <= i < n
        if is_index and pending.is_idle(i):
            # This shortcut is twenty times as fast as the checks below.
            return np.array(env_ids)
        try:
            ids = np.arange(n) if env_ids is None else np.atleast_1d(np.asarray(env_ids))
        except ValueError:
            # NumPy raises this error for nested lists of different lengths.
            ids = np.empty(0)
        if ids.ndim != 1 or not len(ids) or ids.dtype.kind not in "iu":
            hint = "; np.flatnonzero(mask) returns the indices of a mask" if ids.dtype.kind == "b" else ""
            raise ValueError(f"Expected env_ids to be a list of environment indices, got {env_ids!r}{hint}")
        if ids.min() < 0 or ids.max() >= n or len(set(ids.tolist())) != len(ids):
            raise ValueError(f"Expected env_ids to contain different indices from 0 to {n - 1}, got {ids.tolist()}")
        busy = [i for i in ids.tolist() if not pending.is_idle(i)]
        if busy:
            raise ValueError(
                f"{env_names(sorted(busy))} are already performing a step; call recv() before the next send"
            )
        return ids

    def _submit_steps(self, actions: Any, ids: NDArray[np.int64], *, together: bool) -> None:
        self._assert_single_steps()
        pool, batches, pending = self._pool, self._batches, self._pending
        batches.assert_ready(ids)
        batches.use_buffer(0, keep=not pending.count)  # individual steps always use the first buffer
        written = pool.may_write_actions() and batches.write_actions(actions, ids, len(ids))
        items = None if written else batches.split_actions(actions, len(ids))
        if self._restart:
            batches.save_rows(ids)
        try:
            pending.request(ids)
            pool.submit_steps(pending, ids, items, together=together)
        except BaseException:  # after Ctrl-C, it is unknown which workers have received the request
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
            # The next call returns the other results.
            pending.receive(failed, [i for i in pending.ready if i not in failed])
            raise_failures(failures)
        self._batches.apply(messages)
        return ids, messages

    # Restarts of workers

    def _replace(self, dead: Sequence[PoolWorker], phase: str, deadline: float | None) -> list[SideMessage]:
        """Restart workers that have died, and return their responses. If restarts are not allowed, raise an error."""
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
        """Restart a worker, and return its response, which truncates the episodes whose steps were pending."""
        pending, batches = self._pending, self._batches
        if not single:
            return self._pool.restart(batches, worker, phase, deadline)
        awaited = pending.awaited_of(worker.indices)
        # Store the results that are already available.
        batches.apply([pending.messages[i] for i in worker.indices if i in pending.messages])
        batches.restore_rows(awaited)
        try:
            message = self._pool.restart(batches, worker, phase, deadline, awaited)
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
        """Raise an error if results of another call are pending.

        If results of individual steps are pending, a call is allowed only if it also requests individual steps, or if
        Ctrl-C interrupted the wait for the results.
        """
        if self.closed:
            self._assert_open()
        if self._state is not AsyncState.DEFAULT:
            name = self._state.value
            message = f"{caller} was called while results of {name}_async are pending; call {name}_wait first"
            raise AlreadyPendingCallError(message, name)
        if self._pending.count and not single:
            if not self._interrupted:
                message = f"{caller} was called while results of send are pending; call recv() first"
                raise AlreadyPendingCallError(message, "send")
            self._drop()

    def _drop(self) -> None:
        """Abandon all pending steps of individual environments."""
        self._batches.drop(self._pending.messages.values())
        self._pending.clear()
        self._pool.drop_steps()

    def _end_async(self, state: AsyncState, timeout: float | None) -> None:
        """Reset `_state` before waiting for results, so that the next call may start even if the wait fails."""
        try:
            self._assert_open()
            check_seconds("timeout", timeout, zero=True)
            if self._state is not state:
                name = state.value
                message = f"{name}_wait was called without a previous call of {name}_async"
                raise NoAsyncCallError(message, name)  # noqa: TRY301 - the except clause also handles Ctrl-C
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
