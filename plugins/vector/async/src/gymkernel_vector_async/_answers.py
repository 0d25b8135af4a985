"""`AnswerWaiter`: how the parent waits for workers: it spins, then sleeps until one has something, or has ended."""

from __future__ import annotations

import select
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from gymkernel_vector_async import _control_block as control
from gymkernel_vector_async._control_block import BLOCK_SIZE, SpinWait, fence
from gymkernel_vector_async._transport import remaining

if TYPE_CHECKING:
    from gymkernel_util_vector.shards.messages import ShardSettings
    from gymkernel_vector_async._memory import Block
    from gymkernel_vector_async._worker_handle import WorkerHandle

__all__ = ["AnswerWaiter", "Answers"]

Answers = tuple[list[Any], list["WorkerHandle"], list["WorkerHandle"]]
"""Messages, the workers that are late, those that have ended."""
FIRST_SLEEP: Final = 0.02
"""Seconds of the first sleep, lest both sides looked in the same instant."""
LONGEST_SLEEP: Final = 3600.0


class AnswerWaiter:
    """Waits for the workers of a pool.

    Args:
        settings: of the workers.
    """

    def __init__(self, settings: ShardSettings) -> None:
        self._restart, self._spin = settings.restart, SpinWait(oversubscribed=settings.oversubscribed)
        self._words: Any = None
        """The parent's control block."""
        self._poll, self._polled = select.poll(), list["WorkerHandle"]()
        self._polled_fds: dict[int, WorkerHandle] = {}

    def attach(self, memory: Block) -> None:
        """Take the parent's control block."""
        self._words = memory.integers(0, BLOCK_SIZE)

    def detach(self) -> None:
        """Let go of shared memory."""
        self._words = None

    def wait(self, workers: Sequence[WorkerHandle], deadline: float | None) -> Answers:
        """Wait for the answers to the last requests."""
        pending: list[WorkerHandle] = []
        for worker in workers:
            if not worker.spin(self._spin):
                pending = [other for other in workers if not other.has_answered()]
                break
        dead = self._sleep_until_answered(pending, deadline) if pending else []
        late = [worker for worker in pending if worker not in dead and not worker.has_answered()]
        messages = []
        for worker in workers:
            if worker.has_message() and worker.has_answered() and worker not in dead:
                message = self._message_of_answer(worker, deadline)
                if message is None:
                    (dead if worker.is_lost() else late).append(worker)
                else:
                    messages.append(message)
        return messages, late, dead

    def _sleep_until_answered(self, pending: list[WorkerHandle], deadline: float | None) -> list[WorkerHandle]:
        """Sleep until all have answered, the deadline has passed, or one has ended: those that have ended."""
        dead: list[WorkerHandle] = []
        watched = pending  # also those that have answered by now, as long as that is less work than to sort them out
        longest = FIRST_SLEEP
        self._words[control.PARENT_ASLEEP] = 1
        fence()
        try:
            while left := [worker for worker in pending if not worker.has_answered() and worker not in dead]:
                seconds = remaining(deadline)
                if seconds == 0 or (dead and not self._restart):
                    break
                if self._sleep(watched, longest if seconds is None else min(longest, seconds)):
                    dead += [worker for worker in left if worker.is_lost() and not worker.has_answered()]
                    watched = [worker for worker in left if worker not in dead]
                longest = LONGEST_SLEEP
        finally:
            self._words[control.PARENT_ASLEEP] = 0
        return dead

    def _message_of_answer(self, worker: WorkerHandle, deadline: float | None) -> Any:
        """The message that goes with the last answer; None where it does not come."""
        while (found := self.next_message(worker, deadline)) is not None:
            number, partial_step, message = found
            if worker.is_current(number) and partial_step is None:
                return message
        return None

    def next_message(self, worker: WorkerHandle, deadline: float | None) -> Any:
        """Wait for the next message of a worker; None where it has ended, or the deadline has passed."""
        while True:
            lost = worker.is_lost()
            message = worker.next_message()
            seconds = remaining(deadline)
            if message is not None or lost or seconds == 0:
                return message
            self._sleep([worker], LONGEST_SLEEP if seconds is None else seconds)

    def sleep_until(
        self, ready: Callable[[], bool], workers: list[WorkerHandle], deadline: float | None
    ) -> list[WorkerHandle]:
        """Sleep until something is ready, the deadline has passed, or workers have ended: those."""
        longest = FIRST_SLEEP
        self._words[control.PARENT_ASLEEP] = 1
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
            self._words[control.PARENT_ASLEEP] = 0
        return []

    def _sleep(self, workers: list[WorkerHandle], seconds: float) -> bool:
        """Sleep until something comes from one of the workers, or one of them ends; whether one may have."""
        if self._polled != workers or any(worker.is_sending() for worker in workers):
            self._register(workers)  # one that is sending wants to be told when there is room
        ended = len(self._polled_fds) < len(workers)  # a socket was closed before, and its process may take a while
        for fd, _ in self._poll.poll(0 if ended else seconds * 1000):
            worker = self._polled_fds.get(fd)
            ended |= worker is None or worker.exchange()
        if ended:
            self.forget()
        return ended

    def _register(self, workers: list[WorkerHandle]) -> None:
        """Remember whom a poll waits for: many workers may answer one after another."""
        self._poll, self._polled = select.poll(), []  # none, should Ctrl-C come before the end
        self._polled_fds = {fd: worker for worker in workers if (fd := worker.register(self._poll)) >= 0}
        self._polled = [] if any(worker.is_sending() for worker in workers) else list(workers)

    def forget(self) -> None:
        """Note that descriptors of workers change."""
        self._polled = []
