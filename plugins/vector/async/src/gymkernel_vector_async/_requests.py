"""The `WorkerRequests` class, which sends requests to workers and waits for their responses."""

from __future__ import annotations

import select
from collections import deque
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel import logger
from gymkernel_util_vector.shards.requests import remaining
from gymkernel_util_vector.shards.shard_pool import ShardPool
from gymkernel_vector_async._channel import PARENT_ASLEEP, YIELDS, Command, SpinWait, fence
from gymkernel_vector_async._worker_count import Measurements, recommend_workers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gymkernel_util_vector.shards.messages import ShardSettings, SideMessage
    from gymkernel_util_vector.shards.pending_steps import PendingSteps
    from gymkernel_util_vector.shards.shard import EnvShard
    from gymkernel_vector_async._worker_handle import WorkerHandle

    Answers = tuple[list[Any], list[WorkerHandle], list[WorkerHandle]]

__all__ = ["WorkerRequests"]

FIRST_SLEEP: Final = 0.02
"""The length of the first sleep in seconds. It is short in case both processes read the words at the same instant."""
LONGEST_SLEEP: Final = 3600.0
"""The length of later sleeps in seconds."""


class WorkerRequests(ShardPool):
    """The part of a worker pool that sends requests to the workers and, optionally, to a local shard in this process.

    A `submit` method sends a request and returns immediately. A `wait` method returns the responses. The local shard
    does its work during the `wait` method, in parallel with the workers.

    To step individual environments, the parent writes the number of each step into `requested`. The worker writes this
    number into `completed` when the result is in the arrays. If the result has a message, the worker first writes the
    number into `with_message`.

    Args:
        num_envs: the number of environments.
        settings: the settings of all shards.
        local: the shard that this process steps, or None.
    """

    single_steps = True
    workers: list[WorkerHandle]
    steps_to_advice = 0
    """The number of steps before the measurements are evaluated. It is 0 if the caller chose the number of workers."""

    def __init__(self, num_envs: int, settings: ShardSettings, local: EnvShard | None) -> None:
        super().__init__([], num_envs, settings)
        self._request_numbers = count(1)
        self._local = local
        self._local_task: Callable[[], SideMessage | None] | None = None
        self._local_steps: deque[tuple[int, int, Any, bool]] = deque()
        """The local shard's pending single steps: (environment, step number, action, whether the action is shared)."""
        self._spin = SpinWait(oversubscribed=settings.oversubscribed)
        self._arrays: dict[str, Any] = {}
        """The arrays in shared memory, keyed by name."""
        self._words: Any = None
        """The parent's control block."""
        self._has_dropped_steps = False
        """Whether workers may still be reading shared actions for single steps that were dropped."""
        self._poll, self._polled = select.poll(), list["WorkerHandle"]()
        self._polled_fds: dict[int, WorkerHandle] = {}

    # Requests to all environments

    def is_idle(self) -> bool:
        """Return whether every worker has answered its latest request, and so no longer reads shared actions."""
        for worker in self.workers:  # noqa: SIM110 - all() with a generator takes twice as long
            if not worker.has_answered():
                return False
        return True

    def submit_step(self, actions: Sequence[Any] | None, buffer: int) -> None:
        """Ask the workers to step all environments.

        Args:
            actions: the actions; None to use the actions in shared memory.
            buffer: the index of the observation buffer in the ring.
        """
        workers, local = self.workers, self._local
        if self.steps_to_advice:
            self._count_step()
        self._waiting = workers
        self._local_task = None
        if local is not None:
            local_actions = None if actions is None else actions[local.first :]
            self._local_task = lambda: local.step(local_actions, buffer)
        number, messages = next(self._request_numbers), None
        if actions is not None:
            messages = [
                worker.request_message(number, "step", actions[worker.indices.start : worker.indices.stop], buffer)
                for worker in workers
            ]
        try:
            self._post_step(number, messages, buffer)
        except BaseException:  # some workers may not have received the request; the others ignore the repetition
            self._post_step(number, messages, buffer)
            raise

    def measurements(self) -> Measurements:
        """Return the sum of the workers' measurements of their first steps."""
        return Measurements(*map(sum, zip(*(worker.measurements() for worker in self.workers), strict=True)))

    def _count_step(self) -> None:
        """Count a step. After enough steps, evaluate the measurements and warn if more workers would be faster."""
        self.steps_to_advice -= 1
        if self.steps_to_advice:
            return
        waiting, recommended = recommend_workers(self.measurements(), self.num_envs)
        if recommended > 1.5 * len(self.workers):
            logger.warn(
                f"These {self.num_envs} environments spend {waiting} % of a step waiting, for example for a server, "
                f"but there are only {len(self.workers)} workers; num_workers={recommended} would be faster, or pass "
                'num_workers="auto" to measure a suitable number',
                stacklevel=5,
            )

    def _post_step(self, number: int, messages: list[bytes] | None, buffer: int) -> None:
        """Send every worker the request for a step, with the actions in messages or in shared memory."""
        if messages is None:
            self._post(self.workers, number, Command.STEP, buffer)
            return
        for worker, message in zip(self.workers, messages, strict=True):
            worker.post_message(number, message)

    def _post(self, workers: Sequence[WorkerHandle], number: int, command: int, buffer: int) -> None:
        """Write a request into the control blocks of the given workers, then wake the workers that are asleep."""
        for worker in workers:
            worker.post(number, command, buffer)
        fence()
        for worker in workers:
            worker.wake_if_asleep()

    def submit_reset(self, seeds: list[tuple[int, int | None]], options: dict[str, Any] | None, buffer: int) -> None:
        """Ask the workers to reset the given environments.

        Args:
            seeds: an (index, seed) pair for each environment to reset.
            options: the reset options, which are the same for all of these environments.
            buffer: the index of the observation buffer in the ring.
        """
        local = self._local
        self._local_task = None
        if local is not None:
            local_seeds = [(i - local.first, seed) for i, seed in seeds if i >= local.first]
            if local_seeds:
                self._local_task = lambda: local.reset(local_seeds, options, buffer)
        super().submit_reset(seeds, options, buffer)

    def submit_call(self, kind: str, name: str, args: Any, kwargs: Any) -> None:
        """Ask the workers to call a method on every environment. The arguments are those of `EnvShard.call`."""
        super().submit_call(kind, name, args, kwargs)
        local, self._local_task = self._local, None
        if local is not None:
            own = self.own_arguments(kind, args, range(local.first, self.num_envs))
            self._local_task = lambda: local.call(kind, name, own, kwargs)

    def wait(self, deadline: float | None) -> Answers:
        """Wait for the responses to the latest request.

        Args:
            deadline: when to stop waiting, as a time on the monotonic clock; None for no limit.

        Returns:
            The messages, the workers that have not answered in time, and the workers that have died.
        """
        local_messages = []
        if self._local_task is not None:
            task, self._local_task = self._local_task, None
            message = task()
            local_messages = [] if message is None else [message]
        messages, late, dead = self._answers_of(self._waiting, deadline)
        return messages + local_messages, late, dead

    def wait_for(self, worker: WorkerHandle, deadline: float | None) -> Answers:
        """Wait for one worker's response to its latest request. The result is the same as for `wait`."""
        return self._answers_of([worker], deadline)

    def _answers_of(self, workers: Sequence[WorkerHandle], deadline: float | None) -> Answers:
        dead: list[WorkerHandle] = []
        late: list[WorkerHandle] = []
        for worker in workers:
            if not worker.spin(self._spin):
                dead, late = self._sleep_until_answered(workers, deadline)
                break
        messages = []
        for worker in workers:
            if worker.has_message() and worker.has_answered() and worker not in dead:
                message = self._message_of_answer(worker, deadline)
                if message is None:
                    (dead if worker.is_lost() else late).append(worker)
                else:
                    messages.append(message)
        return messages, late, dead

    def _sleep_until_answered(
        self, workers: Sequence[WorkerHandle], deadline: float | None
    ) -> tuple[list[WorkerHandle], list[WorkerHandle]]:
        """Sleep until all workers have answered or exited, or the deadline has passed.

        Return the exited and late workers.
        """
        dead: list[WorkerHandle] = []
        while left := [worker for worker in workers if not worker.has_answered() and worker not in dead]:
            ended = self._sleep_until(lambda left=left: all(w.has_answered() for w in left), left, deadline)  # type: ignore[misc]
            dead += [worker for worker in ended if not worker.has_answered()]
            if (dead and not self._restart) or remaining(deadline) == 0:
                break
        return dead, [worker for worker in left if worker not in dead and not worker.has_answered()]

    def _message_of_answer(self, worker: WorkerHandle, deadline: float | None) -> Any:
        """Return the message that belongs to a worker's latest response, or None if the message does not arrive."""
        while (received := self.next_message(worker, deadline)) is not None:
            number, single_step, message = received
            if worker.is_current(number) and single_step is None:
                return message
        return None

    def next_message(self, worker: WorkerHandle, deadline: float | None) -> Any:
        """Wait for the next message from a worker. Return None if the worker has exited or the deadline has passed."""
        while (message := worker.next_message()) is None:
            if worker.is_lost():  # this check comes last because it takes as long as reading several messages
                return worker.next_message()  # the message may have arrived before the worker exited
            seconds = remaining(deadline)
            if seconds == 0:
                return None
            self._sleep([worker], LONGEST_SLEEP if seconds is None else seconds)
        return message

    # Requests to individual environments

    def may_write_actions(self) -> bool:
        """Return whether shared actions may be overwritten because no worker still reads them."""
        if self._has_dropped_steps:
            self._has_dropped_steps = bool((self._arrays["requested"] != self._arrays["completed"]).any())
        return not (self._has_dropped_steps or any(worker.is_stepping() for worker in self.workers))

    def submit_steps(
        self, pending: PendingSteps, env_ids: NDArray[np.int64], actions: Sequence[Any] | None, *, together: bool
    ) -> None:
        """Ask the workers to step each of the given environments once.

        Args:
            pending: the record of pending steps, which already includes these steps.
            env_ids: the indices of the environments.
            actions: one action per environment; None to use the actions in shared memory.
            together: ignored, because workers publish each result as soon as it is ready.
        """
        numbers = pending.numbers[env_ids]
        if self._local is not None:
            local, shared = np.flatnonzero(env_ids >= self._local.first).tolist(), actions is None
            values: Any = [None] * len(env_ids) if actions is None else actions
            self._local_steps.extend((int(env_ids[k]), int(numbers[k]), values[k], shared) for k in local)
            others = [k for k in range(len(env_ids)) if k not in local]
            env_ids, numbers = env_ids[others], numbers[others]
            actions = None if actions is None else [actions[k] for k in others]
        workers = self._workers_of(env_ids)
        if actions is None:
            fence()
            self._arrays["requested"][env_ids] = numbers
            fence()
            number = next(self._request_numbers)
            try:
                self._post(workers, number, Command.SINGLE_STEPS, 0)
            except BaseException:  # after Ctrl-C, some workers may not have received the request
                self._post(workers, number, Command.SINGLE_STEPS, 0)
                raise
            return
        steps: list[tuple[int, int, Any]] = list(zip(env_ids.tolist(), numbers.tolist(), actions, strict=True))
        for worker in workers:
            first = worker.indices.start
            own = [(i - first, n, action) for i, n, action in steps if i in worker.indices]
            worker.request("steps", own)

    def _workers_of(self, env_ids: NDArray[np.int64]) -> list[WorkerHandle]:
        """Return the workers that step the given environments."""
        bounds = [(worker, worker.indices.start, worker.indices.stop) for worker in self.workers]
        return [worker for worker, first, stop in bounds if ((env_ids >= first) & (env_ids < stop)).any()]

    def drop_steps(self) -> None:
        """Abandon all pending steps of individual environments."""
        self._local_steps.clear()
        self._has_dropped_steps = True

    def wait_steps(self, pending: PendingSteps, wanted: int, deadline: float | None) -> list[WorkerHandle]:
        """Collect results until enough results are ready or the deadline has passed.

        Args:
            pending: the record of pending steps, in which the results are stored.
            wanted: the number of results to wait for.
            deadline: when to stop waiting, as a time on the monotonic clock; None for no limit.

        Returns:
            The workers that died during the wait.
        """
        yields = self._spin.allowed_yields(YIELDS // 4)
        while self._collect(pending) < wanted:
            if self._local_steps:
                self._step_local(pending)
            elif yields:
                yields = yields - 1 if self._spin.pause() else 0
            elif remaining(deadline) == 0:
                break
            elif dead := self._sleep_until_collected(pending, wanted, deadline):
                self._collect(pending)
                return dead
        return []

    def poll_steps(self, pending: PendingSteps, deadline: float | None) -> bool:
        """Sleep until a result is ready or a worker has died. Return False if the deadline passes before that.

        Args:
            pending: the record of pending steps, in which the results are stored.
            deadline: when to stop waiting, as a time on the monotonic clock; None for no limit.
        """
        has_news = self._collect(pending) or self._local_steps or self._sleep_until_collected(pending, 1, deadline)
        return bool(has_news or pending.ready)

    def _sleep_until_collected(self, pending: PendingSteps, wanted: int, deadline: float | None) -> list[WorkerHandle]:
        workers = self._workers_of(np.flatnonzero(pending.awaited >= 0))
        return self._sleep_until(lambda: self._collect(pending) >= wanted, workers, deadline)

    def _step_local(self, pending: PendingSteps) -> None:
        """Step the next environment of the local shard. If Ctrl-C interrupts the step, the next wait repeats it."""
        local: Any = self._local
        i, number, action, shared = self._local_steps[0]
        if pending.awaited[i] == number:
            message = local.step_one(i - local.first, action, shared=shared)
            if message is not None:
                pending.messages[i] = message
            pending.note([i])
        self._local_steps.popleft()

    def _collect(self, pending: PendingSteps) -> int:
        """Record all results that have become ready, and return how many results are ready.

        Reading one message may also receive later messages, such as the message for a result that was not ready yet.
        Because no further event announces such a message, this method repeats until it reads no more messages.
        """
        while self._note_results(pending):
            pass
        return len(pending.ready)

    def _note_results(self, pending: PendingSteps) -> bool:
        """Record the results that are ready now, and return whether a message was read."""
        arrays, messages = self._arrays, pending.messages
        completed = np.flatnonzero(arrays["completed"] == pending.awaited)
        if not len(completed):
            return False
        announced = set(completed[arrays["with_message"][completed] == pending.numbers[completed]].tolist())
        pending.note([i for i in completed.tolist() if i not in announced or self._has_message(i, pending)])
        return not announced.isdisjoint(messages)

    def _has_message(self, i: int, pending: PendingSteps) -> bool:
        """Return whether a result's message has arrived. Workers publish a result before they send its message."""
        worker, messages = self.worker_of(i), pending.messages
        while i not in messages and (received := worker.first_message()) is not None:
            _, single_step, message = received
            if single_step is not None and single_step[1] == pending.awaited[single_step[0]]:
                messages[single_step[0]] = message  # any other message belongs to an abandoned step
            worker.drop_message()  # if Ctrl-C interrupts this line, the message is read twice, which is harmless
        return i in messages

    # Sleeping

    def _sleep_until(
        self, ready: Callable[[], bool], workers: list[WorkerHandle], deadline: float | None
    ) -> list[WorkerHandle]:
        """Sleep until `ready` returns True, the deadline passes or a worker dies. Return the workers that died."""
        longest = FIRST_SLEEP
        self._words[PARENT_ASLEEP] = 1
        fence()
        try:
            while not ready():
                seconds = remaining(deadline)
                if seconds == 0:
                    break
                if self._sleep(workers, longest if seconds is None else min(longest, seconds)):
                    dead = [worker for worker in workers if worker.is_lost()]
                    if dead:
                        return dead
                longest = LONGEST_SLEEP
        finally:
            self._words[PARENT_ASLEEP] = 0
        return []

    def _sleep(self, workers: list[WorkerHandle], seconds: float) -> bool:
        """Sleep until a worker sends a message or dies. Return whether a worker may have died."""
        if self._polled != workers or any(worker.is_sending() for worker in workers):
            # The poll object also waits for room in sockets to which bytes must still be sent.
            self._register(workers)
        ended = len(self._polled_fds) < len(workers)  # some sockets were closed earlier
        for fd, _ in self._poll.poll(0 if ended else seconds * 1000):
            worker = self._polled_fds.get(fd)
            ended |= worker is None or worker.exchange()
        if ended:
            self.forget()
        return ended

    def _register(self, workers: list[WorkerHandle]) -> None:
        """Create a poll object for the given workers.

        The object is cached, because a call often waits repeatedly for the same workers.
        """
        # The cache is invalidated first, in case Ctrl-C interrupts the next lines.
        self._poll, self._polled = select.poll(), []
        self._polled_fds = {fd: worker for worker in workers if (fd := worker.register(self._poll)) >= 0}
        self._polled = [] if any(worker.is_sending() for worker in workers) else list(workers)

    def forget(self) -> None:
        """Discard the poll object. Call this method when the workers' file descriptors change."""
        self._polled = []
