"""`Worker`: the process of a share as its parent sees it; how it is started, watched and ended."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import socket
import sys
import threading
import time
import types
import warnings
from typing import TYPE_CHECKING, Any, Final

import cloudpickle

from gymkernel import logger
from gymkernel_vector_async._channel import Channel, dumps, guarded, remaining
from gymkernel_vector_async._memory import Descriptor
from gymkernel_vector_async._words import AT_WORK, COMMAND, MESSAGE, REQUEST
from gymkernel_vector_async._worker import Job, main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gymkernel_vector_async._records import Settings

__all__ = ["Worker", "stop_all"]

GRACE: Final = 1.0
"""Seconds for a worker to hear that it shall close, and again to end after SIGTERM."""
CLOSING: Final = 10.0
"""Seconds for environments to close, once their worker has heard."""
_starting = threading.Lock()


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

    def start(self, context: Any, block: int) -> None:
        """Start the process; it makes its environments, and tells."""
        method = _method(context)
        if method != "fork":
            pickled = dumps((sys.path, self._functions()))
        ours, theirs = socket.socketpair()
        try:
            watch = not (sys.platform == "linux" and threading.current_thread() is threading.main_thread())
            job = Job(
                self.number,
                self.first,
                self.env_fns if method == "fork" else None,
                self.settings,
                Descriptor(theirs.fileno()),
                Descriptor(block),
                method == "forkserver",
                watch,
            )
            self.channel = Channel(ours)
            guarded.add(ours.fileno())
            chosen: Any = context if hasattr(context, "Process") else multiprocessing.get_context(method)
            name = f"gymkernel-worker-{self.number}"
            self.process = chosen.Process(target=main, args=(job,), name=name, daemon=self.daemon)
            with _quiet(method, explicit=context is not None), _without_main():
                self.process.start()
        except BaseException:
            self.channel.close()
            self.process = None
            raise
        finally:
            theirs.close()
        self.sentinel, self._own_sentinel = _sentinel(self.process)
        self.sent = 0
        if method != "fork":
            self.channel.send(pickled, None, self.sentinel)

    def _functions(self) -> bytes:
        """The functions, pickled; the error says which one cannot be, and why."""
        try:
            return bytes(cloudpickle.dumps(self.env_fns))
        except Exception as exc:
            for i, make in zip(self.indices, self.env_fns, strict=True):
                try:
                    cloudpickle.dumps(make)
                except Exception as own:  # noqa: BLE001 - whatever somebody's class raises
                    message = (
                        f"The function that makes environment {i} cannot be pickled, which workers need that are not "
                        f"forked: {own}. Make in the function what cannot be pickled, or pass context='fork'"
                    )
                    raise pickle.PicklingError(message) from exc
            raise

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
        return self.channel.send(dumps(message), deadline, self.sentinel)

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


def _method(context: Any) -> str:
    """The start method: the one asked for, else the program's, else the fastest that is safe."""
    if context is not None:
        return context if isinstance(context, str) else str(context.get_start_method())
    chosen = multiprocessing.get_start_method(allow_none=True)
    if chosen not in {None, "fork"}:  # "fork" may have become the default by any use of multiprocessing
        return str(chosen)
    if sys.platform == "linux" and threading.active_count() == 1 and not _has_threads():
        return "fork"
    return "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


def _has_threads() -> bool:
    """Whether a library that starts threads of its own, and does not survive fork, is at work."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    return "jax" in sys.modules or "tensorflow" in sys.modules or bool(cuda is not None and cuda.is_initialized())


@contextlib.contextmanager
def _quiet(method: str, *, explicit: bool) -> Iterator[None]:
    """Warn in words where fork is dangerous, instead of Python's own warning, which counts idle threads too."""
    if method != "fork":
        yield
        return
    others = threading.active_count() - 1
    if explicit and others:
        message = (
            f"{others} other threads run, and workers are to be forked: a lock that one of them holds stays locked in "
            "the workers, which may then hang. Pass context='forkserver', or make the environments before the threads"
        )
        logger.warn(message, category=RuntimeWarning, stacklevel=6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Hide the main module, which multiprocessing would import in every process that is not forked."""
    with _starting:
        main_module = sys.modules["__main__"]
        sys.modules["__main__"] = types.ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main_module


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
