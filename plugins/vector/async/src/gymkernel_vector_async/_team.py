"""`Team`: the workers of a vector environment, the memory they share, and how the parent asks them and waits."""

from __future__ import annotations

import multiprocessing
import pickle
import select
import time
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from gymkernel_vector_async._channel import remaining
from gymkernel_vector_async._errors import combined, died, late, raise_failures
from gymkernel_vector_async._layout import Address, arrays_of, private
from gymkernel_vector_async._memory import Block
from gymkernel_vector_async._pool import Worker, stop_all
from gymkernel_vector_async._records import Arrays
from gymkernel_vector_async._share import Share
from gymkernel_vector_async._start_method import Launcher
from gymkernel_vector_async._words import (
    ANSWER,
    ASLEEP,
    AT_WORK,
    COMMAND,
    MAILED,
    MESSAGE,
    PARENT_ASLEEP,
    QUEUE,
    REQUEST,
    SLOT,
    STEP,
    WORDS,
    Patience,
    fence,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gymkernel.vector.utils import BatchPlan
    from gymkernel_vector_async._errors import Failure, WorkerError
    from gymkernel_vector_async._records import Mail, Settings

__all__ = ["Team"]


class Team:
    """The processes that step environments, and perhaps a share of this process's own.

    Args:
        env_fns: functions that make the environments.
        settings: how they are stepped.
        workers: number of processes.
        parent_steps: whether this process steps a share too, the last one.
        context: a `multiprocessing` context or its name; None to choose.
        daemon: of the processes.
        deadline: for the environments to be made.
    """

    def __init__(
        self,
        env_fns: Sequence[Callable[[], Any]],
        settings: Settings,
        workers: int,
        *,
        parent_steps: bool,
        context: Any,
        daemon: bool,
        deadline: float | None,
    ) -> None:
        self.n, self.settings, self.context = len(env_fns), settings, context
        bounds = [self.n * k // (workers + parent_steps) for k in range(workers + parent_steps + 1)]
        shares = [(first, env_fns[first:stop]) for first, stop in pairwise(bounds)]
        self.own = Share(*shares.pop(), settings, own=True) if parent_steps else None
        if shares and multiprocessing.current_process().daemon:
            message = (
                "AsyncVectorEnv cannot start workers in this process, which is a daemon of multiprocessing: daemons "
                "have no children. If it is a worker of another AsyncVectorEnv, pass daemon=False to that one"
            )
            raise RuntimeError(message)
        self.block = Block()
        self.address: Address | None = None
        self.workers: list[Worker] = []
        self.closed = False
        self.restarts = [0] * self.n
        self.patience = Patience(crowded=settings.crowded)
        self._watched: list[Worker] = []
        self._poll, self._channels = select.poll(), dict[int, Worker]()
        self.head: Any = None
        self.named: dict[str, Any] = {}
        self.observations: list[list[Any]] = []
        try:
            launcher = Launcher(context)
            for number, (first, functions) in enumerate(shares):
                worker = Worker(number, first, functions, settings, daemon=daemon)
                worker.start(launcher, self.block.fd)
                self.workers.append(worker)
            failures = self.own.build() if self.own is not None else []
            built = [self._built(worker, deadline) for worker in self.workers]
            raise_failures([*(failure for found, _ in built for failure in found), *failures])
            self._understand([told for _, told in built])
        except BaseException:
            self.stop(timeout=None, terminate=True)
            raise

    def _built(self, worker: Worker, deadline: float | None) -> tuple[list[Any], Any]:
        """Wait for a worker's environments."""
        while True:
            ended = not worker.alive()
            data = worker.channel.next()
            if data is not None:
                break
            if ended or worker.channel.closed:
                raise died([(worker.number, worker.indices, worker.exit_code(), None)], "construction")
            seconds = remaining(deadline)
            if seconds == 0:
                raise late(worker.indices, (), "construction", None)
            self.nap([worker], 3600.0 if seconds is None else seconds)
        message = pickle.loads(data)  # noqa: S301 - of this program's own worker
        if message[0] == "broken":
            raise_failures([message[1]])
        return message[1], message[2]

    def _understand(self, told: list[Any]) -> None:
        """Take in the spaces, metadata and render mode of all environments."""
        known: dict[bytes, tuple[Any, Any]] = {}
        self.spaces: list[tuple[Any, Any]] = []
        for worker, (different, which, about) in zip(self.workers, told, strict=True):
            pairs = []
            for by_name, data in different:
                if data not in known:
                    known[data] = self._spaces(worker, data, by_name=by_name)
                pairs.append(known[data])
            self.spaces += [pairs[j] for j in which]
            if worker.number == 0:
                self.metadata, self.render_mode = pickle.loads(about)  # noqa: S301 - of this program's own worker
        if self.own is not None:
            different, which = self.own.spaces()
            self.spaces += [different[j] for j in which]
            if not self.workers:
                env = self.own.envs[0]
                self.metadata, self.render_mode = dict(env.metadata), env.render_mode

    def _spaces(self, worker: Worker, data: bytes, *, by_name: bool) -> tuple[Any, Any]:
        """The spaces that a worker pickled; where their classes have no name, those of an environment made here."""
        if data and (by_name or not worker.forked):
            pair: tuple[Any, Any] = pickle.loads(data)  # noqa: S301 - of this program's own worker
            return pair
        env = worker.env_fns[0]()
        pair = (env.observation_space, env.action_space)
        env.close()
        return pair

    def lay_out(self, plan: BatchPlan, action_plan: BatchPlan, ring: int, *, shared: bool) -> None:
        """Make the shared block, and give every share its rows."""
        self.address = Address.laid_out(
            plan, action_plan, envs=self.n, workers=len(self.workers), ring=ring, shared=shared
        )
        self.block.allocate(self.address.size)
        self.head = self.block.words(0, WORDS)
        self.named, self.observations = arrays_of(self.block, self.address)
        if not shared:
            self.observations = private(self.address, self.n)
        for worker in self.workers:
            self._attach(worker)
        if self.own is not None:
            mine = slice(self.own.first, self.n)
            slots = [[leaf[mine] for leaf in slot] for slot in self.observations]
            numbers, ends, cuts = (self.named[name][mine] for name in ("rewards", "terminations", "truncations"))
            self.own.attach(plan, Arrays(slots, numbers, ends, cuts, shared=True))

    def _attach(self, worker: Worker) -> None:
        worker.words = self.block.words(8 * WORDS * (1 + worker.number), WORDS)
        for word in range(WORDS):
            worker.words[word] = 0
        worker.send(self.address, time.monotonic())

    def idle(self) -> bool:
        """Whether every worker has answered its last request."""
        return all(worker.words[ANSWER] == worker.sent for worker in self.workers)

    def post_step(self, slot: int, actions: Sequence[Any] | None) -> None:
        """Have every worker step: with the actions in shared memory, or with these."""
        if actions is not None:
            for worker in self.workers:
                self.tell(worker, "step", actions[worker.indices.start : worker.indices.stop], slot)
            return
        for worker in self.workers:
            worker.sent += 1
            words = worker.words
            words[COMMAND], words[SLOT] = STEP, slot
            words[REQUEST] = worker.sent
        fence()
        for worker in self.workers:
            if worker.words[ASLEEP]:
                worker.channel.bell()

    def tell(self, worker: Worker, what: str, *args: Any) -> None:
        """Send a request as a message; what its socket does not take now is sent while waiting for the answer."""
        worker.sent += 1
        worker.words[COMMAND] = MESSAGE
        worker.words[REQUEST] = worker.sent
        worker.send((worker.sent, what, *args), time.monotonic())

    def queue(self, worker: Worker, slot: int) -> None:
        """Have a worker look for new tickets."""
        worker.sent += 1
        worker.words[COMMAND], worker.words[SLOT] = QUEUE, slot
        worker.words[REQUEST] = worker.sent
        fence()
        if worker.words[ASLEEP]:
            worker.channel.bell()

    def collect(
        self, waiting: Sequence[Worker], deadline: float | None
    ) -> tuple[list[tuple[Worker, Any]], list[Worker], list[Worker]]:
        """Wait for the answers to the last requests: the messages that came with them, who is late, who has ended."""
        patience, pending = self.patience, []
        for worker in waiting:
            if not patience.turned(worker.words, ANSWER, worker.sent, away=False):
                pending = [w for w in waiting if w.words[ANSWER] != w.sent]
                break
        dead = self._sleep(pending, deadline) if pending else []
        behind = [worker for worker in pending if worker not in dead and worker.words[ANSWER] != worker.sent]
        mails = []
        for worker in waiting:
            if worker.words[MAILED] and worker.words[ANSWER] == worker.sent and worker not in dead:
                mail = self._letter(worker, deadline)
                if mail is None:
                    (behind if worker.alive() else dead).append(worker)
                else:
                    mails.append((worker, mail))
        return mails, behind, dead

    def _sleep(self, pending: list[Worker], deadline: float | None) -> list[Worker]:
        """Sleep until all have answered, the deadline has passed, or one has ended: those that have ended."""
        dead: list[Worker] = []
        watched = pending  # also those that have answered by now, as long as that is less work than to sort them out
        nap = 0.02  # the first one is short, lest a bell was missed by a hair
        self.head[PARENT_ASLEEP] = 1
        fence()
        try:
            while left := [w for w in pending if w.words[ANSWER] != w.sent and w not in dead]:
                seconds = remaining(deadline)
                if seconds == 0 or (dead and not self.settings.restart):
                    break
                if self.nap(watched, nap if seconds is None else min(nap, seconds)):
                    dead += [w for w in left if (w.channel.closed or not w.alive()) and w.words[ANSWER] != w.sent]
                    watched = [w for w in left if w not in dead]
                nap = 3600.0
        finally:
            self.head[PARENT_ASLEEP] = 0
        return dead

    def nap(self, workers: list[Worker], seconds: float) -> bool:
        """Sleep until something comes from one of the workers, or one of them ends; whether one may have."""
        if self._watched != workers or any(worker.channel.full for worker in workers):
            self._watch(workers)  # a channel that is full wants to be told when there is room
        ended = len(self._channels) < len(workers)  # one was closed before
        for fd, _ in self._poll.poll(seconds * 1000):
            worker = self._channels.get(fd)
            if worker is None:
                ended = True
                continue
            worker.channel.take()
            if worker.channel.full:
                worker.channel.flush(time.monotonic(), worker.sentinel)
            ended |= worker.channel.closed
        if ended:
            self._watched = []
        return ended

    def _watch(self, workers: list[Worker]) -> None:
        """Remember whose channels and ends a nap waits for: many workers may answer one after another."""
        self._poll, self._channels = select.poll(), {}
        for worker in workers:
            if not worker.channel.closed:
                self._channels[worker.channel.fd] = worker
                self._poll.register(worker.channel.fd, select.POLLIN | (select.POLLOUT if worker.channel.full else 0))
            self._poll.register(worker.sentinel, select.POLLIN)
        self._watched = [] if any(worker.channel.full for worker in workers) else list(workers)

    def _letter(self, worker: Worker, deadline: float | None) -> Any:
        """The message that goes with the last answer; None where it does not come."""
        while True:
            ended = not worker.alive()
            data = worker.channel.next()
            if data is not None:
                number, ticket, mail = pickle.loads(data)  # noqa: S301 - of this program's own worker
                if number == worker.sent and ticket is None:
                    return mail
                continue
            seconds = remaining(deadline)
            if ended or worker.channel.closed or seconds == 0:
                return None
            self.nap([worker], 3600.0 if seconds is None else seconds)

    def at_work(self, worker: Worker) -> int:
        """The environment that a worker is busy with."""
        return int(worker.first + max(worker.words[AT_WORK], 0))

    def error_of(self, dead: Sequence[Worker], phase: str) -> WorkerError:
        """What to raise for workers that have ended: what they said last, or else how they ended."""
        last: list[Failure] = []
        for worker in dead:
            while (data := worker.channel.next()) is not None:
                said = pickle.loads(data)  # noqa: S301 - of this program's own worker
                last += [said[1]] if said[0] == "broken" else []
        if last:
            return combined(last)
        return died([(w.number, w.indices, w.exit_code(), self.at_work(w)) for w in dead], phase)

    def revive(self, worker: Worker, phase: str, deadline: float | None) -> None:
        """Start a worker that has ended again; its environments are new and want a reset."""
        error = self.error_of([worker], phase)
        limit = self.settings.max_restarts
        over = [i for i in worker.indices if limit is not None and self.restarts[i] >= limit]
        if over:
            error.add_note(f"It was started again {limit} times, which is the limit (max_restarts).")
            raise error
        for i in worker.indices:
            self.restarts[i] += 1
        worker.discard()
        self._watched = []
        worker.start(Launcher(self.context), self.block.fd)
        failures, _ = self._built(worker, deadline)
        raise_failures(failures)
        self._attach(worker)
        self.tell(worker, "lost")

    def stop(self, *, timeout: float | None, terminate: bool) -> list[Any]:
        """End all processes and give everything back; failures of environments that could not close."""
        if self.closed:
            return []
        self.closed = True
        try:
            answers = stop_all(self.workers, timeout=timeout, terminate=terminate)
            failures = [failure for answer in answers for failure in answer]
            return failures + (self.own.close() if self.own is not None and not terminate else [])
        finally:
            for worker in self.workers:
                worker.words = None
            self.head, self.named, self.observations = None, {}, []
            if self.own is not None:
                self.own.detach()
            self.block.close()


def fresh(mails: Sequence[tuple[Any, Any]], own: Mail | None) -> list[Mail]:
    """The messages of workers, and that of the parent's own share."""
    return [mail for _, mail in mails] + ([own] if own is not None else [])
