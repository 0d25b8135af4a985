"""The `WorkerPool` class, which starts, restarts and stops the worker processes of a vector environment."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from gymkernel_util_vector.processes.signals import DeferredSignals
from gymkernel_util_vector.processes.start_method import Launcher
from gymkernel_util_vector.shards.errors import WorkerError, failures_error, raise_failures
from gymkernel_util_vector.shards.messages import Failure, ShardArrays, ShardSettings
from gymkernel_util_vector.shards.shard import EnvShard
from gymkernel_vector_async._channel import BLOCK_SIZE
from gymkernel_vector_async._memory import Block, Layout
from gymkernel_vector_async._requests import WorkerRequests
from gymkernel_vector_async._worker_handle import WorkerHandle, ask_to_close, end_workers

if TYPE_CHECKING:
    from gymkernel_util_spaces.batches import BatchPlan

__all__ = ["WorkerPool"]

NOT_CREATED: Final = "Its environments could not be created"


class WorkerPool(WorkerRequests):
    """A pool of worker processes that step environments. Optionally, the parent steps some of the environments itself.

    Args:
        env_fns: functions that create the environments.
        settings: the settings of all shards.
        num_workers: the number of processes.
        local_shard: whether this process steps the last shard.
        context: a `multiprocessing` context or its name; None to choose a start method automatically.
        daemon: whether workers are daemon processes.
        shared: whether observations are in shared memory.
    """

    backend = "AsyncVectorEnv"

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        settings: ShardSettings,
        num_workers: int,
        *,
        local_shard: bool,
        context: Any,
        daemon: bool,
        shared: bool,
    ) -> None:
        shares = self.shares(env_fns, num_workers + local_shard, settings)
        local = shares.pop() if local_shard else None
        shard = None if local is None else EnvShard(local.first, local.env_fns, settings, local=True)
        super().__init__(len(env_fns), settings, shard)
        if shares and multiprocessing.current_process().daemon:
            raise RuntimeError(
                "AsyncVectorEnv cannot start workers in this process, because daemon processes cannot have "
                "children. If this process is a worker of another AsyncVectorEnv, pass daemon=False to that one"
            )
        self.workers = [WorkerHandle(share, self._request_numbers, daemon=daemon) for share in shares]
        self._context, self._memory, self._shared = context, Block(), shared
        self._layout: Layout | None = None
        self.closed = False
        """Whether all processes have exited and all resources have been released."""

    def start(self, deadline: float | None) -> None:
        """Start the processes and wait until all environments are created. If this raises an error, call `stop`.

        Args:
            deadline: when to stop waiting, as a time on the monotonic clock; None for no limit.

        Raises:
            WorkerError: if an environment cannot be created, or a process exited.
            WorkerTimeoutError: if the environments were not created in time.
        """
        self._memory.open()
        launcher = Launcher(self._context)
        for worker in self.workers:
            worker.start(launcher, self._memory.fd)
        failures = self._local.build() if self._local is not None else []
        try:
            built = [self._await_envs(worker, deadline) for worker in self.workers]
            raise_failures([*(failure for remote, _ in built for failure in remote), *failures])
        except BaseException:
            if self._local is not None:
                self._local.close()
            raise
        self.describe(zip(self.workers, (description for _, description in built), strict=True))
        if self._local is not None:
            pairs, indices = self._local.spaces()
            self.spaces += [pairs[j] for j in indices]
            if not self.workers:
                self.metadata, self.render_mode = self._local.metadata()

    def _await_envs(self, worker: WorkerHandle, deadline: float | None) -> tuple[list[Failure], Any]:
        """Wait until a worker has created its environments. Return its failures and a description of its spaces."""
        message = self.next_message(worker, deadline)
        if message is None:
            if worker.is_lost():
                raise self.death_error([worker], "construction", NOT_CREATED)
            raise self.late_error([worker], "construction", None)
        if message[0] == "broken":
            raise failures_error([message[1]])
        return message[1], message[2]

    def attach(self, plan: BatchPlan, action_plan: BatchPlan, ring: int) -> tuple[dict[str, Any], list[list[Any]]]:
        """Allocate the shared memory, and give each shard its rows of the arrays. See `ShardPool.attach`."""
        self._layout = layout = Layout(plan, action_plan, self.num_envs, len(self.workers), ring, self._shared)
        self._memory.allocate(layout.size)
        arrays, observations = layout.arrays(self._memory)
        self._words, self._arrays = self._memory.integers(0, BLOCK_SIZE), arrays
        if not self._shared:
            observations = layout.private(self.num_envs)
        for worker in self.workers:
            worker.attach(self._memory, layout)
        if self._local is not None:
            rows = slice(self._local.first, self.num_envs)
            local_observations = [[leaf[rows] for leaf in buffer] for buffer in observations]
            shard_arrays = ShardArrays.of(arrays, local_observations, rows, shared=True)
            self._local.attach(plan, layout.action_plan.tree, shard_arrays)
        return arrays, observations

    # Failures and shutdown

    def error_of(self, dead: Sequence[Any], phase: str) -> WorkerError:
        """Create the error for workers that have died, from the failures that they reported or from their exit codes.

        Args:
            dead: the workers that have died.
            phase: the request that they did not answer, such as "step".
        """
        failures: list[Failure] = []
        for worker in dead:
            while (message := worker.next_message()) is not None:
                failures += [message[1]] if message[0] == "broken" else []
        if failures:
            return failures_error(failures)
        return super().error_of(dead, phase)

    def start_again(self, worker: WorkerHandle, deadline: float | None) -> None:
        """Restart a worker that has died, and recreate its environments.

        Args:
            worker: the worker to restart.
            deadline: when to stop waiting, as a time on the monotonic clock; None for no limit.

        Raises:
            WorkerError: if the new process exited, or the environments cannot be created.
        """
        worker.discard()
        self.forget()
        rows = slice(worker.indices.start, worker.indices.stop)
        # The new process must not repeat the steps that were requested from the old process.
        self._arrays["requested"][rows] = self._arrays["completed"][rows]
        try:
            worker.start(Launcher(self._context), self._memory.fd)
            failures, _ = self._await_envs(worker, deadline)
            raise_failures(failures)
            worker.attach(self._memory, self._layout)  # type: ignore[arg-type]
        except BaseException:
            # Ctrl-C is also handled, because a worker without shared memory cannot receive requests.
            worker.discard()
            self.forget()
            raise

    def stop(self, *, timeout: float | None, terminate: bool) -> list[Failure]:
        """Stop all processes and release all resources. Return the failures of environments that could not be closed.

        Args:
            timeout: how many seconds the environments may take to close; None for the default.
            terminate: whether to end the processes without closing their environments.
        """
        failures: list[Failure] = []
        try:
            if not (terminate or self.closed):
                ask_to_close(self.workers, timeout, failures)
                failures += self._local.close() if self._local is not None else []
        finally:
            try:
                self._end()
            except BaseException:  # Ctrl-C was pressed before or after the block in which it is deferred
                self._end()
                raise
        return failures

    def _end(self) -> None:
        """End all processes and release all resources. If a call is interrupted, the next call continues the work."""
        if self.closed:
            return
        with DeferredSignals():
            end_workers(self.workers)
        # This is a separate block, because signals can only be deferred for a limited time.
        with DeferredSignals():
            for worker in self.workers:
                worker.detach()
            self._words, self._arrays = None, {}
            if self._local is not None:
                self._local.detach()
            self._memory.close()
            self.closed = True
