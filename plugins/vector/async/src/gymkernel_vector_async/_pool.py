"""`WorkerPool`: the workers of a vector environment: how they are started, asked, waited for, restarted and stopped."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from gymkernel_util_vector.processes.signals import DeferredSignals
from gymkernel_util_vector.processes.start_method import Launcher
from gymkernel_util_vector.shards.errors import (
    WorkerError,
    WorkerTimeoutError,
    death_error,
    failures_error,
    raise_failures,
    timeout_error,
)
from gymkernel_util_vector.shards.messages import Failure, ShardArrays, ShardSettings, SideMessage
from gymkernel_util_vector.shards.shard import EnvShard
from gymkernel_util_vector.shards.shard_pool import ShardPool
from gymkernel_vector_async._answers import Answers, AnswerWaiter
from gymkernel_vector_async._closing import ask_to_close, end_workers
from gymkernel_vector_async._control_block import Command, fence
from gymkernel_vector_async._layout import Address, arrays_of, private
from gymkernel_vector_async._memory import Block
from gymkernel_vector_async._worker_count import Measurements
from gymkernel_vector_async._worker_handle import WorkerHandle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from gymkernel_util_spaces.batches import BatchPlan

__all__ = ["WorkerPool"]


class WorkerPool(ShardPool):
    """The processes that step environments, and perhaps a shard in this process, the local one.

    A `submit` method asks for something and returns at once, `wait` has the answers. The local shard does its part in
    `wait`, while the workers do theirs.

    Args:
        env_fns: functions that make the environments.
        settings: how they are stepped.
        num_workers: number of processes.
        local_shard: whether this process steps a shard, too, the last one.
        context: a `multiprocessing` context or its name; None to choose.
        daemon: whether workers are daemons.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        settings: ShardSettings,
        num_workers: int,
        *,
        local_shard: bool,
        context: Any,
        daemon: bool,
    ) -> None:
        self._context = context
        shards = self.shares(env_fns, num_workers + local_shard)
        self._local = EnvShard(*shards.pop(), settings, local=True) if local_shard else None
        if shards and multiprocessing.current_process().daemon:
            raise RuntimeError(
                "AsyncVectorEnv cannot start workers in this process, which is a daemon of multiprocessing: daemons "
                "have no children. If it is a worker of another AsyncVectorEnv, pass daemon=False to that one"
            )
        self._request_numbers = count(1)
        workers = [
            WorkerHandle(number, first, functions, settings, self._request_numbers, daemon=daemon)
            for number, (first, functions) in enumerate(shards)
        ]
        super().__init__(workers, len(env_fns), settings.max_restarts)
        self._memory = Block()
        self._address: Address | None = None
        self.closed = False
        """Whether all processes have ended, and everything was given back."""
        self._steps: Any = None
        """Numbers of the steps of single environments in shared memory: the last requested, and the last completed."""
        self._local_task: Callable[[], SideMessage | None] | None = None
        self._waiter = AnswerWaiter(settings)

    def start(self, deadline: float | None) -> None:
        """Start the processes, and wait until all environments are made; after a failure, the caller stops the pool.

        Args:
            deadline: for the environments to be made.

        Raises:
            WorkerError: environments cannot be made, or a process ended.
            WorkerTimeoutError: environments were not made in time.
        """
        self._memory.open()
        launcher = Launcher(self._context)
        for worker in self.workers:
            worker.start(launcher, self._memory.fd)
        failures = self._local.build() if self._local is not None else []
        try:
            built = [self._built(worker, deadline) for worker in self.workers]
            raise_failures([*(failure for found, _ in built for failure in found), *failures])
        except BaseException:
            if self._local is not None:
                self._local.close()
            raise
        self.describe(zip(self.workers, (description for _, description in built), strict=True))

    def _built(self, worker: WorkerHandle, deadline: float | None) -> tuple[list[Failure], Any]:
        """Wait for a worker's environments: failures, and a description."""
        message = self._waiter.next_message(worker, deadline)
        if message is None:
            if worker.is_lost():
                raise death_error([(worker.number, worker.indices, worker.exit_code(), None)], "construction")
            raise timeout_error(worker.indices, (), "construction", None)
        if message[0] == "broken":
            raise failures_error([message[1]])
        return message[1], message[2]

    def describe(self, descriptions: Iterable[tuple[WorkerHandle, Any]]) -> None:
        """Take in the spaces, metadata and render mode of all environments."""
        super().describe(descriptions)
        if self._local is not None:
            pairs, indices = self._local.spaces()
            self.spaces += [pairs[j] for j in indices]
            if not self.workers:
                self.metadata, self.render_mode = self._local.metadata()

    def share_memory(
        self, plan: BatchPlan, action_plan: BatchPlan, ring: int, *, shared: bool
    ) -> tuple[dict[str, Any], list[list[Any]]]:
        """Make the shared memory, and give every shard its rows; the arrays by name, and those of observations.

        Args:
            plan: of observations.
            action_plan: of actions.
            ring: number of buffers for observations.
            shared: whether observations go through shared memory.
        """
        self._address = address = Address.laid_out(
            plan, action_plan, envs=self.num_envs, workers=len(self.workers), ring=ring, shared=shared
        )
        self._memory.allocate(address.size)
        self._waiter.attach(self._memory)
        arrays, observations = arrays_of(self._memory, address)
        self._steps = arrays["requested"], arrays["completed"]
        if not shared:
            observations = private(address, self.num_envs)
        for worker in self.workers:
            worker.attach(self._memory, address)
        if self._local is not None:
            rows = slice(self._local.first, self.num_envs)
            mine = [[leaf[rows] for leaf in buffer] for buffer in observations]
            self._local.attach(plan, action_plan.tree, ShardArrays.of(arrays, mine, rows, shared=True))
        return arrays, observations

    @property
    def processes(self) -> list[Any]:
        """The processes of the workers."""
        return [worker.process for worker in self.workers]

    def measurements(self) -> Measurements:
        """What the workers measured in their first steps."""
        return sum((worker.measurements() for worker in self.workers), Measurements())

    # Requests to all

    def is_idle(self) -> bool:
        """Whether every worker has answered its last request, so that nobody reads shared actions."""
        for worker in self.workers:  # noqa: SIM110 - a generator takes twice as long
            if not worker.has_answered():
                return False
        return True

    def is_stepping(self) -> bool:
        """Whether a worker may still read shared actions for a step that was given up."""
        return any(worker.is_stepping() for worker in self.workers)

    def submit_step(self, actions: Sequence[Any] | None, buffer: int) -> None:
        """Have every environment act, with these actions, or with those in shared memory."""
        workers, local = self.workers, self._local
        self._waiting = workers
        self._local_task = None
        if local is not None:
            mine = None if actions is None else actions[local.first :]
            self._local_task = lambda: local.step(mine, buffer)
        number, messages = next(self._request_numbers), None
        if actions is not None:
            messages = [
                worker.request_message(number, "step", actions[worker.indices.start : worker.indices.stop], buffer)
                for worker in workers
            ]
        try:
            self._post_step(number, messages, buffer)
        except BaseException:  # Ctrl-C: some of the workers have not heard; for the others it is the same request
            self._post_step(number, messages, buffer)
            raise

    def _post_step(self, number: int, messages: list[bytes] | None, buffer: int) -> None:
        """Have every worker step, with the actions of these messages, or with those in shared memory."""
        workers = self.workers
        if messages is not None:
            for worker, message in zip(workers, messages, strict=True):
                worker.post_message(number, message)
            return
        for worker in workers:
            worker.post(number, Command.STEP, buffer)
        fence()
        for worker in workers:
            worker.wake_if_asleep()

    def submit_reset(self, seeds: list[tuple[int, int | None]], options: dict[str, Any] | None, buffer: int) -> None:
        """Have episodes begun in some environments, each (index, seed)."""
        local = self._local
        mine = [] if local is None else [(i - local.first, seed) for i, seed in seeds if i >= local.first]
        self._local_task = (lambda: local.reset(mine, options, buffer)) if local is not None and mine else None
        super().submit_reset(seeds, options, buffer)

    def submit_call(self, kind: str, name: str, args: Any, kwargs: Any) -> None:
        """Have something asked of every environment; arguments as of `EnvShard.call`."""
        super().submit_call(kind, name, args, kwargs)
        local, self._local_task = self._local, None
        if local is not None:
            self._local_task = lambda: local.call(kind, name, self.own_arguments(kind, args, self.local_envs), kwargs)

    def wait(self, deadline: float | None) -> Answers:
        """Wait for the answers to what was submitted: messages, the workers that are late, those that have ended."""
        local_messages = []
        if self._local_task is not None:
            task, self._local_task = self._local_task, None
            message = task()
            local_messages = [] if message is None else [message]
        messages, late, dead = self._waiter.wait(self._waiting, deadline)
        return messages + local_messages, late, dead

    # Requests to some

    def wait_for(self, worker: WorkerHandle, deadline: float | None) -> Answers:
        """Wait for the answer to the last request to one worker; as `wait` does."""
        return self._waiter.wait([worker], deadline)

    def sleep_until(
        self, ready: Callable[[], bool], env_ids: NDArray[np.int64], deadline: float | None
    ) -> list[WorkerHandle]:
        """Sleep until something is ready, or workers of some environments have ended: those."""
        return self._waiter.sleep_until(ready, self.workers_of(env_ids), deadline)

    def submit_partial_steps(self, env_ids: NDArray[np.int64], buffer: int) -> None:
        """Have workers look for steps of some environments, which are requested in shared memory."""
        asked, number = self.workers_of(env_ids), next(self._request_numbers)
        for worker in asked:
            worker.post(number, Command.PARTIAL_STEPS, buffer)
        fence()
        for worker in asked:
            worker.wake_if_asleep()

    def submit_step_of(self, env_id: int, number: int, action: Any, buffer: int) -> None:
        """Have one environment act, with an action that goes by message."""
        worker = self.worker_of(env_id)
        worker.request("step_one", env_id - worker.indices.start, number, action, buffer)

    @property
    def local_envs(self) -> range:
        """The environments of the local shard."""
        return range(self.num_envs if self._local is None else self._local.first, self.num_envs)

    def step_local(self, env_id: int, action: Any, buffer: int) -> SideMessage | None:
        """Step one environment of the local shard."""
        local: Any = self._local
        message: SideMessage | None = local.step_one(env_id - local.first, action, buffer)
        return message

    def workers_of(self, env_ids: NDArray[np.int64]) -> list[WorkerHandle]:
        """The workers that step some environments."""
        spans = [(worker, worker.indices.start, worker.indices.stop) for worker in self.workers]
        return [worker for worker, first, stop in spans if ((env_ids >= first) & (env_ids < stop)).any()]

    # Failure and end

    def late_error(
        self, late: Sequence[WorkerHandle], phase: str, timeout: float | None, indices: Sequence[int] | None = None
    ) -> WorkerTimeoutError:
        """What to raise for workers that are late, with these of their environments; None for all."""
        if indices is None:
            indices = [i for worker in late for i in worker.indices]
        return timeout_error(indices, [worker.env_at_work() for worker in late], phase, timeout)

    def error_of(self, dead: Sequence[WorkerHandle], phase: str) -> WorkerError:
        """What to raise for workers that have ended: what they said last, or else how they ended."""
        failures: list[Failure] = []
        for worker in dead:
            while (message := worker.next_message()) is not None:
                failures += [message[1]] if message[0] == "broken" else []
        if failures:
            return failures_error(failures)
        ended = [(worker.number, worker.indices, worker.exit_code(), worker.env_at_work()) for worker in dead]
        return death_error(ended, phase)

    def restart(self, worker: WorkerHandle, phase: str, deadline: float | None) -> WorkerError:
        """Start a worker that has ended again, with new environments, and return the error that it ended with.

        Raises:
            WorkerError: it was started again too often, or its environments cannot be made.
        """
        error = self.error_of([worker], phase)
        self.count_restart(worker, error)
        worker.discard()
        self._waiter.forget()
        (requested, completed), rows = self._steps, slice(worker.indices.start, worker.indices.stop)
        requested[rows] = completed[rows]  # nobody will make the steps that the process did not make
        try:
            worker.start(Launcher(self._context), self._memory.fd)
            failures, _ = self._built(worker, deadline)
            raise_failures(failures)
            worker.attach(self._memory, self._address)  # type: ignore[arg-type]
        except BaseException:  # also Ctrl-C, and a time-out: a worker that waits for memory cannot take requests
            worker.discard()
            self._waiter.forget()
            raise
        return error

    def stop(self, *, timeout: float | None, terminate: bool) -> list[Failure]:
        """End all processes, give everything back, and return the failures of environments that could not close.

        Args:
            timeout: seconds for environments to close; None for the default.
            terminate: whether environments are not asked to close.
        """
        failures: list[Failure] = []
        try:
            if not (terminate or self.closed):
                ask_to_close(self.workers, timeout, failures)
                failures += self._local.close() if self._local is not None else []
        finally:
            try:
                self._end()
            except BaseException:  # Ctrl-C, before it was deferred or after it could not be deferred any longer
                self._end()
                raise
        return failures

    def _end(self) -> None:
        """End all processes and give everything back; after an interrupted call, another call goes on."""
        if self.closed:
            return
        with DeferredSignals():
            end_workers(self.workers)
        with DeferredSignals():  # which may have taken as long as signals are deferred
            for worker in self.workers:
                worker.detach()
            self._waiter.detach()
            self._steps = None
            if self._local is not None:
                self._local.detach()
            self._memory.close()
            self.closed = True
