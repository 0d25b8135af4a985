"""`WorkerRequests`: what the parent asks of its workers, and how it waits for their answers."""

from __future__ import annotations

import os
import select
from collections import deque
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel import logger
from gymkernel_util_vector.shards.shard_pool import ShardPool
from gymkernel_vector_async._channel import BLOCK_SIZE, PARENT_ASLEEP, YIELDS, Command, SpinWait, fence, remaining
from gymkernel_vector_async._worker_count import Measurements, recommend_workers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gymkernel_util_vector.shards.messages import ShardSettings, SideMessage
    from gymkernel_util_vector.shards.pending_steps import PendingSteps
    from gymkernel_util_vector.shards.shard import EnvShard
    from gymkernel_vector_async._memory import Block
    from gymkernel_vector_async._worker_handle import WorkerHandle

    Answers = tuple[list[Any], list[WorkerHandle], list[WorkerHandle]]

__all__ = ["WorkerRequests"]

FIRST_SLEEP: Final = 0.02
"""Seconds of the first sleep, in case both sides looked at the same instant."""
LONGEST_SLEEP: Final = 3600.0


class WorkerRequests(ShardPool):
    """Requests to worker processes, and perhaps to a shard in this process, the local one.

    A `submit` method sends a request and returns at once; a `wait` method returns the answers. The local shard works
    when it is waited for, while the workers do their part.

    With single steps, the parent writes the number of each step into `requested`. The worker writes this number into
    `completed` once the result is in the arrays, and before, if a message goes with the result, into `with_message`.

    Args:
        num_envs: number of environments.
        settings: how they are stepped.
        local: the shard of this process; None if it steps none.
    """

    single_steps = True
    workers: list[WorkerHandle]
    steps_to_advice = 0
    """Steps of all environments until their measurements are looked at; 0 if the caller chose the number of workers."""

    def __init__(self, num_envs: int, settings: ShardSettings, local: EnvShard | None) -> None:
        super().__init__([], num_envs, settings.max_restarts)
        self._request_numbers = count(1)
        self._local = local
        self._local_task: Callable[[], SideMessage | None] | None = None
        self._local_steps: deque[tuple[int, int, Any, bool]] = deque()
        """(environment, number of the step, action, whether it is in shared memory): single steps of the local shard."""
        self.local_envs = range(num_envs if local is None else local.first, num_envs)
        """The environments of the local shard."""
        self._restart, self._spin = settings.restart, SpinWait(oversubscribed=settings.oversubscribed)
        self._yields = 0 if settings.oversubscribed else YIELDS // 4
        self._arrays: dict[str, Any] = {}
        """Arrays in shared memory, by name."""
        self._words: Any = None
        """The parent's control block."""
        self._has_dropped_steps = False
        """Whether workers may still read shared actions for single steps that were dropped."""
        self._poll, self._polled = select.poll(), list["WorkerHandle"]()
        self._polled_fds: dict[int, WorkerHandle] = {}

    def _attach(self, memory: Block, arrays: dict[str, Any]) -> None:
        """Take the parent's control block, and the arrays in shared memory."""
        self._words, self._arrays = memory.integers(0, BLOCK_SIZE), arrays

    def _detach(self) -> None:
        """Release shared memory."""
        self._words, self._arrays = None, {}

    # Requests to all environments

    def is_idle(self) -> bool:
        """Return whether every worker has answered its last request, so that none reads shared actions."""
        for worker in self.workers:  # noqa: SIM110 - a generator takes twice as long
            if not worker.has_answered():
                return False
        return True

    def submit_step(self, actions: Sequence[Any] | None, buffer: int) -> None:
        """Step every environment, with these actions, or with those in shared memory."""
        workers, local = self.workers, self._local
        if self.steps_to_advice:
            self._count_step()
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
        except BaseException:  # Ctrl-C: some of the workers have no request; for the others it is the same request
            self._post_step(number, messages, buffer)
            raise

    def measurements(self) -> Measurements:
        """Return what the workers measured in their first steps."""
        return sum((worker.measurements() for worker in self.workers), Measurements())

    def _count_step(self) -> None:
        """Recommend a number of workers when they have measured enough steps, if environments wait most of the time."""
        self.steps_to_advice -= 1
        if self.steps_to_advice:
            return
        waiting, recommended = recommend_workers(self.measurements(), self.num_envs)
        if recommended > 1.5 * len(self.workers):
            logger.warn(
                f"these environments wait for {waiting} % of a step (for a server?), and {len(self.workers)} workers "
                f'step {self.num_envs} of them: num_workers={recommended} would be faster; num_workers="auto" '
                "measures it",
                stacklevel=5,
            )

    def _post_step(self, number: int, messages: list[bytes] | None, buffer: int) -> None:
        """Step every worker, with the actions of these messages, or with those in shared memory."""
        if messages is None:
            self._post(self.workers, number, Command.STEP, buffer)
            return
        for worker, message in zip(self.workers, messages, strict=True):
            worker.post_message(number, message)

    def _post(self, workers: Sequence[WorkerHandle], number: int, command: int, buffer: int) -> None:
        """Write a request for some workers, then wake those that sleep."""
        for worker in workers:
            worker.post(number, command, buffer)
        fence()
        for worker in workers:
            worker.wake_if_asleep()

    def submit_reset(self, seeds: list[tuple[int, int | None]], options: dict[str, Any] | None, buffer: int) -> None:
        """Begin episodes in some environments, each (index, seed)."""
        local = self._local
        mine = [] if local is None else [(i - local.first, seed) for i, seed in seeds if i >= local.first]
        self._local_task = (lambda: local.reset(mine, options, buffer)) if local is not None and mine else None
        super().submit_reset(seeds, options, buffer)

    def submit_call(self, kind: str, name: str, args: Any, kwargs: Any) -> None:
        """Call something of every environment; arguments as of `EnvShard.call`."""
        super().submit_call(kind, name, args, kwargs)
        local, self._local_task = self._local, None
        if local is not None:
            self._local_task = lambda: local.call(kind, name, self.own_arguments(kind, args, self.local_envs), kwargs)

    def wait(self, deadline: float | None) -> Answers:
        """Wait for the answers to the last request: messages, the workers that are late, those that have ended."""
        local_messages = []
        if self._local_task is not None:
            task, self._local_task = self._local_task, None
            message = task()
            local_messages = [] if message is None else [message]
        messages, late, dead = self._answers_of(self._waiting, deadline)
        return messages + local_messages, late, dead

    def wait_for(self, worker: WorkerHandle, deadline: float | None) -> Answers:
        """Wait for the answer to the last request to one worker; as `wait` does."""
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
        """Sleep until all have answered, the deadline has passed, or a worker has ended; return who ended or is late."""
        dead: list[WorkerHandle] = []
        while left := [worker for worker in workers if not worker.has_answered() and worker not in dead]:
            pending = left
            ended = self._sleep_until(lambda: all(worker.has_answered() for worker in pending), pending, deadline)
            dead += [worker for worker in ended if not worker.has_answered()]
            if (dead and not self._restart) or remaining(deadline) == 0:
                break
        return dead, [worker for worker in left if worker not in dead and not worker.has_answered()]

    def _message_of_answer(self, worker: WorkerHandle, deadline: float | None) -> Any:
        """Return the message that goes with the last answer; None if it does not come."""
        while (found := self.next_message(worker, deadline)) is not None:
            number, single_step, message = found
            if worker.is_current(number) and single_step is None:
                return message
        return None

    def next_message(self, worker: WorkerHandle, deadline: float | None) -> Any:
        """Wait for the next message of a worker; return None if the worker has ended, or the deadline has passed."""
        while True:
            lost = worker.is_lost()
            message = worker.next_message()
            seconds = remaining(deadline)
            if message is not None or lost or seconds == 0:
                return message
            self._sleep([worker], LONGEST_SLEEP if seconds is None else seconds)

    # Requests to single environments

    def may_write_actions(self) -> bool:
        """Return whether no worker reads shared actions for a step, or for single steps, that were given up."""
        if self._has_dropped_steps:
            self._has_dropped_steps = bool((self._arrays["requested"] != self._arrays["completed"]).any())
        return not (self._has_dropped_steps or any(worker.is_stepping() for worker in self.workers))

    def submit_steps(
        self,
        pending: PendingSteps,
        env_ids: NDArray[np.int64],
        actions: Sequence[Any] | None,
        buffer: int,
        *,
        together: bool,
    ) -> None:
        """Step some environments, with these actions, or with those in shared memory."""
        numbers = pending.numbers[env_ids]
        if self._local is not None:
            mine, shared = np.flatnonzero(env_ids >= self._local.first).tolist(), actions is None
            given: Any = [None] * len(env_ids) if actions is None else actions
            self._local_steps.extend((int(env_ids[k]), int(numbers[k]), given[k], shared) for k in mine)
            others = [k for k in range(len(env_ids)) if k not in mine]
            env_ids, numbers = env_ids[others], numbers[others]
            actions = None if actions is None else [actions[k] for k in others]
        workers = self._workers_of(env_ids)
        if actions is None:
            fence()
            self._arrays["requested"][env_ids] = numbers
            fence()
            number = next(self._request_numbers)
            try:
                self._post(workers, number, Command.SINGLE_STEPS, buffer)
            except BaseException:  # Ctrl-C: some of the workers have no request
                self._post(workers, number, Command.SINGLE_STEPS, buffer)
                raise
            return
        steps = list(zip(env_ids.tolist(), numbers.tolist(), actions, strict=True))
        for worker in workers:
            first, mine = worker.indices.start, [step for step in steps if step[0] in worker.indices]
            worker.request("steps", [(i - first, number, action) for i, number, action in mine], buffer)

    def _workers_of(self, env_ids: NDArray[np.int64]) -> list[WorkerHandle]:
        """Return the workers that step the given environments."""
        spans = [(worker, worker.indices.start, worker.indices.stop) for worker in self.workers]
        return [worker for worker, first, stop in spans if ((env_ids >= first) & (env_ids < stop)).any()]

    def drop_steps(self) -> None:
        """Forget the single steps that are under way."""
        self._local_steps.clear()
        self._has_dropped_steps = True

    def wait_steps(self, pending: PendingSteps, wanted: int, deadline: float | None) -> list[WorkerHandle]:
        """Note results until so many are ready, or the deadline has passed; return workers that ended before."""
        yields = self._yields
        while self._collect(pending) < wanted:
            if self._local_steps:
                self._step_local(pending)
            elif yields:
                os.sched_yield()
                yields -= 1
            elif remaining(deadline) == 0:
                break
            elif dead := self._sleep_until_collected(pending, wanted, deadline):
                self._collect(pending)
                return dead
        return []

    def poll_steps(self, pending: PendingSteps, deadline: float | None) -> bool:
        """Sleep until a result is ready or a worker has ended; return False if the deadline passes before."""
        found = self._collect(pending) or self._local_steps or self._sleep_until_collected(pending, 1, deadline)
        return bool(found or pending.ready)

    def _sleep_until_collected(
        self, pending: PendingSteps, wanted: int, deadline: float | None
    ) -> list[WorkerHandle]:
        workers = self._workers_of(np.flatnonzero(pending.awaited >= 0))
        return self._sleep_until(lambda: self._collect(pending) >= wanted, workers, deadline)

    def _step_local(self, pending: PendingSteps) -> None:
        """Step the next environment of the local shard; a step that Ctrl-C ends is begun again by the next wait."""
        local: Any = self._local
        i, number, action, shared = self._local_steps[0]
        if pending.awaited[i] == number:
            message = local.step_one(i - local.first, action, 0, shared=shared)
            if message is not None:
                pending.messages[i] = message
            pending.note([i])
        self._local_steps.popleft()

    def _collect(self, pending: PendingSteps) -> int:
        """Note the results that have become ready, and return the number of ready results.

        Whoever takes a message may also receive a later message, such as that of a result that was not ready at the
        time. Nothing wakes the parent for this message again, so this method looks until it takes no message.
        """
        while self._note_results(pending):
            pass
        return len(pending.ready)

    def _note_results(self, pending: PendingSteps) -> bool:
        """Note the results that are ready at this moment; return whether a message was taken."""
        arrays, messages = self._arrays, pending.messages
        found = np.flatnonzero(arrays["completed"] == pending.awaited)
        if not len(found):
            return False
        announced = set(found[arrays["with_message"][found] == pending.numbers[found]].tolist())
        pending.note([i for i in found.tolist() if i not in announced or self._has_message(i, pending)])
        return not announced.isdisjoint(messages)

    def _has_message(self, i: int, pending: PendingSteps) -> bool:
        """Return whether the message that goes with a result has come; it is sent after the result is published."""
        worker, messages = self.worker_of(i), pending.messages
        while i not in messages and (found := worker.first_message()) is not None:
            _, single_step, message = found
            if single_step is not None and single_step[1] == pending.awaited[single_step[0]]:
                messages[single_step[0]] = message  # any other message is of a result that nobody awaits
            worker.drop_message()  # if Ctrl-C comes before this line, the message is read again, which changes nothing
        return i in messages

    # Sleeping

    def _sleep_until(
        self, ready: Callable[[], bool], workers: list[WorkerHandle], deadline: float | None
    ) -> list[WorkerHandle]:
        """Sleep until something is ready, the deadline has passed, or workers have ended, which are returned."""
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
        """Sleep until something comes from a worker, or a worker ends; return whether one may have ended."""
        if self._polled != workers or any(worker.is_sending() for worker in workers):
            self._register(workers)  # a worker that waits to send is polled for room, too
        ended = len(self._polled_fds) < len(workers)  # a socket was closed before, and its process may take a while
        for fd, _ in self._poll.poll(0 if ended else seconds * 1000):
            worker = self._polled_fds.get(fd)
            ended |= worker is None or worker.exchange()
        if ended:
            self.forget()
        return ended

    def _register(self, workers: list[WorkerHandle]) -> None:
        """Remember the workers that a poll waits for, because many of them may answer one after another."""
        self._poll, self._polled = select.poll(), []  # none, in case Ctrl-C comes before the end
        self._polled_fds = {fd: worker for worker in workers if (fd := worker.register(self._poll)) >= 0}
        self._polled = [] if any(worker.is_sending() for worker in workers) else list(workers)

    def forget(self) -> None:
        """Note that descriptors of workers change."""
        self._polled = []
