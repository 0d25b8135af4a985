"""`Worker`: the process of a share as its parent sees it; how it is started, watched and ended."""

from __future__ import annotations

import contextlib
import os
import pickle
import socket
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from gymkernel_vector_async._channel import Channel, guarded, remaining
from gymkernel_vector_async._main_module import main_preparation
from gymkernel_vector_async._memory import Descriptor
from gymkernel_vector_async._pickling import dumps, dumps_functions
from gymkernel_vector_async._registrations import registrations
from gymkernel_vector_async._words import AT_WORK, COMMAND, MESSAGE, REQUEST
from gymkernel_vector_async._worker import Job, Provided, main

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gymkernel_vector_async._records import Settings
    from gymkernel_vector_async._start_method import Launcher

__all__ = ["Worker", "stop_all"]

GRACE: Final = 1.0
"""Seconds for a worker to hear that it shall close, and again to end after SIGTERM."""
CLOSING: Final = 10.0
"""Seconds for environments to close, once their worker has heard."""


class Worker:
    """A process that steps environments `first` to `first + n - 1`.

    Args:
        number: its place among the workers.
        first: index of its first environment.
        env_fns: functions that make its environments.
        settings: how they are stepped.
        daemon: whether the process may not have children, and never outlives its parent.
    """

    def __init__(
        self, number: int, first: int, env_fns: Sequence[Callable[[], Any]], settings: Settings, *, daemon: bool
    ) -> None:
        self.number, self.first, self.env_fns = number, first, list(env_fns)
        self.indices = range(first, first + len(self.env_fns))
        self.settings, self.daemon = settings, daemon
        self.sent = 0
        """Number of the last request."""
        self.process: Any = None
        self.channel: Channel = None  # type: ignore[assignment]
        self.sentinel = -1
        self.words: Any = None
        """Its words in shared memory, once there are any."""
        self._own_sentinel = False
        self.forked = True

    def start(self, launcher: Launcher, block: int) -> None:
        """Start the process; it makes its environments, and tells."""
        self.launch(launcher, block)
        try:
            if launcher.forked_beside_threads():
                self.discard()
                self.launch(launcher, block)
            self.forked = launcher.method == "fork"
            self.channel.send(dumps(None if self.forked else self._provided()), None, self.sentinel)
        except BaseException:
            self.discard()
            raise

    def launch(self, launcher: Launcher, block: int) -> None:
        """Start the process; it waits for its functions, or to hear that it has them."""
        ours, theirs = socket.socketpair()
        try:
            watch = not (sys.platform == "linux" and threading.current_thread() is threading.main_thread())
            job = Job(
                self.number,
                self.first,
                self.env_fns if launcher.method == "fork" else None,
                self.settings,
                Descriptor(theirs.fileno()),
                Descriptor(block),
                launcher.method == "forkserver",
                watch,
            )
            self.channel = Channel(ours)
            guarded.add(ours.fileno())
            name = f"gymkernel-worker-{self.number}"
            self.process = launcher.start(main, job, name=name, daemon=self.daemon)
        except BaseException:
            self.channel.close()
            self.process = None
            raise
        finally:
            theirs.close()
        self.sentinel, self._own_sentinel = _sentinel(self.process)
        self.sent = 0

    def _provided(self) -> Provided:
        """What a process that is not forked lacks; the error says which function cannot be pickled, and why."""
        self._known: set[str] = set()
        try:
            functions = dumps_functions(self.env_fns, self._known)
        except Exception as exc:
            for i, make in zip(self.indices, self.env_fns, strict=True):
                try:
                    dumps_functions(make, set())
                except Exception as own:  # noqa: BLE001 - whatever somebody's class raises
                    message = (
                        f"The function that makes environment {i} cannot be pickled, which workers need that are not "
                        f"forked: {own}. Make in the function what cannot be pickled, or pass context='fork'"
                    )
                    raise pickle.PicklingError(message) from exc
            raise
        return Provided(sys.path, main_preparation(), functions, registrations())

    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process is not None and bool(self.process.is_alive())

    def exit_code(self) -> int | None:
        """How the process ended; for a process that has."""
        self.process.join(GRACE)
        code: int | None = self.process.exitcode
        return code

    def send(self, message: Any, deadline: float | None = None) -> bool:
        """Send a message; False where it could not be sent in time."""
        data = dumps(message, None if self.forked else self._known)
        return self.channel.send(data, deadline, self.sentinel)

    def discard(self) -> None:
        """Give back everything of a process that has ended, or make it end."""
        if self.process is None:
            return
        if self.process.is_alive():
            self.process.kill()
        self.process.join(GRACE)
        self.channel.close()
        if self._own_sentinel:
            os.close(self.sentinel)
        self.sentinel, self._own_sentinel = -1, False
        if self.process.exitcode is not None:
            self.process.close()
        self.process = None


def _sentinel(process: Any) -> tuple[int, bool]:
    """A descriptor that is readable when a process has ended, also where children of it live on; whether it is new."""
    if hasattr(os, "pidfd_open"):
        with contextlib.suppress(OSError):
            return os.pidfd_open(process.pid), True
    return process.sentinel, False


def stop_all(workers: Sequence[Worker], *, timeout: float | None, terminate: bool) -> list[Any]:
    """End processes: ask, then SIGTERM, then SIGKILL; what those that were asked answered last.

    Args:
        workers: some of which may have ended.
        timeout: seconds for those that were asked; None for 1 s to hear, and 10 s to close once heard.
        terminate: do not ask.
    """
    running = [worker for worker in workers if worker.alive()]
    answers: list[Any] = []
    try:
        if not terminate:
            _ask(running, timeout, answers)
        for end in ("terminate", "kill"):
            left = [worker for worker in running if worker.alive()]
            for worker in left:
                getattr(worker.process, end)()
            deadline = time.monotonic() + GRACE
            for worker in left:
                worker.process.join(remaining(deadline))
    finally:
        for worker in workers:
            worker.discard()
    return answers


def _ask(workers: Sequence[Worker], timeout: float | None, answers: list[Any]) -> None:
    began = time.monotonic()
    for worker in workers:
        if worker.words is None:
            worker.send(None, began + GRACE)  # it waits for the layout: there will be none
            continue
        worker.sent += 1
        worker.words[COMMAND] = MESSAGE
        worker.words[REQUEST] = worker.sent
        worker.send((worker.sent, "close"), began + (GRACE if timeout is None else timeout))
    waiting = list(workers)
    pause = 0.0005
    while waiting:
        for worker in list(waiting):
            while (data := worker.channel.next()) is not None:
                with contextlib.suppress(Exception):
                    number, _, mail = pickle.loads(data)  # noqa: S301 - of this program's own worker
                    if number == worker.sent and isinstance(mail, tuple):
                        answers.append(mail[0])
            heard = worker.words is None or worker.words[AT_WORK] == -1
            limit = timeout if timeout is not None else CLOSING if heard else GRACE
            if not worker.alive() or time.monotonic() > began + limit:
                waiting.remove(worker)
        if waiting:
            time.sleep(pause)
            pause = min(pause * 2, 0.02)
