"""The `WorkerHandle` class, with which the parent starts, contacts and ends a worker process."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import socket
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from gymkernel_util_vector.processes.pickling import dumps
from gymkernel_util_vector.processes.signals import DeferredSignals
from gymkernel_util_vector.processes.spawn_data import SpawnData
from gymkernel_vector_async._channel import AT_WORK, BLOCK_SIZE, CPU, STEPS, SWITCHES, WALL, Channel, Transport
from gymkernel_vector_async._memory import Block, Descriptor
from gymkernel_vector_async._worker import WorkerArguments, run_worker
from gymkernel_vector_async._worker_count import Measurements

if TYPE_CHECKING:
    from gymkernel_util_vector.processes.start_method import Launcher
    from gymkernel_util_vector.shards.shard_pool import Share
    from gymkernel_vector_async._memory import Layout

__all__ = ["WorkerHandle", "ask_to_close", "end_workers"]

CLOSE_TIMEOUT: Final = 10.0
"""How many seconds the environments may take to close after their worker has confirmed the request to close."""
GRACE_PERIOD: Final = 1.0
"""How many seconds a worker may take to confirm a request to close, and how many to exit after SIGTERM."""
EXIT_CODE_TIMEOUT: Final = 10.0
"""How many seconds the system may take to end a process, or a fork server to report its exit code.

Ending a process can take long, for example if it uses a graphics card."""


PF_EXITING: Final = 4
"""The flag with which Linux marks a process that is exiting."""


class WorkerHandle(Channel):
    """A handle for a process that steps one shard of the environments.

    Args:
        share: the environments of the worker.
        request_numbers: an iterator that returns a new number for each request.
        daemon: whether the process is a daemon, which cannot have children and never outlives its parent.
    """

    def __init__(self, share: Share, request_numbers: Iterator[int], *, daemon: bool) -> None:
        super().__init__(share, request_numbers)
        self.process: Any = None
        self._daemon = daemon
        self._own_sentinel = False
        """Whether this object must close the worker's sentinel."""
        self._exit_code: int | None = None
        """The exit code of the most recently discarded process."""

    # Starting and ending the process

    def start(self, launcher: Launcher, memory: int) -> None:
        """Start the process, which then creates its environments and sends a description of their spaces.

        Args:
            launcher: the launcher that starts the process.
            memory: the file descriptor of the shared memory.
        """
        self._launch(launcher, memory)
        try:
            if launcher.forked_beside_threads():
                self.discard()
                self._launch(launcher, memory)
            data = known = None
            if launcher.method != "fork":
                known = set[str]()
                data = SpawnData.collect(self._share.env_fns, self._share.first, known)
            self._known_classes = known
            self._transport.send(dumps(data), None, self._sentinel)
        except BaseException:
            self.discard()
            raise

    def _launch(self, launcher: Launcher, memory: int) -> None:
        """Start the process, and send the functions that create its environments unless it is forked."""
        with DeferredSignals():
            ours, theirs = socket.socketpair()
            self._transport, self._request = Transport(ours), 0
            arguments = WorkerArguments(
                share=self._share if launcher.method == "fork" else self._share._replace(env_fns=()),
                transport=Descriptor(theirs.fileno()),
                memory=Descriptor(memory),
                by_fork_server=launcher.method == "forkserver",
                watch_parent=not (sys.platform == "linux" and threading.current_thread() is threading.main_thread()),
            )
            name = f"gymkernel-worker-{self.number}"
            try:
                self.process = launcher.start(run_worker, arguments, name=name, daemon=self._daemon)
                self._sentinel, self._own_sentinel = _sentinel(self.process)
            except BaseException:
                self._transport.close()
                raise
            finally:
                theirs.close()

    def attach(self, memory: Block, layout: Layout) -> None:
        """Clear the worker's control block in shared memory, and send the memory layout to the worker.

        Args:
            memory: the shared memory.
            layout: the layout of the shared memory.
        """
        self._words = memory.integers(8 * BLOCK_SIZE * (1 + self.number), BLOCK_SIZE)
        for word in range(BLOCK_SIZE):
            self._words[word] = 0
        self._send(self._pickled(layout))

    def detach(self) -> None:
        """Delete the reference to shared memory."""
        self._words = None  # type: ignore[assignment]

    def discard(self) -> None:
        """Kill the process if it is still running, and release its resources.

        If a signal interrupts this method while it waits for the process to exit, nothing is released, and the method
        must be called again.
        """
        if self.process is None:
            return
        if self.has_process():
            self.process.kill()
        code = self._last_exit_code()
        with DeferredSignals():
            self._exit_code = code
            self._transport.close()
            if self._own_sentinel:
                os.close(self._sentinel)
            self._sentinel, self._own_sentinel = -1, False
            if code is not None:
                self.process.close()
            self.process = None

    def end(self) -> None:
        """Kill the process. The next request then reports that the worker has died."""
        if self.process is not None:
            self.process.kill()

    def has_process(self) -> bool:
        """Return whether the process has not exited yet.

        A process that is still exiting does not answer requests; see `is_lost`.
        """
        return self.process is not None and self._poll() is None

    def _poll(self) -> int | None:
        """Return the process's exit code, or None while the process is running.

        The system reports an exit code only once. If Ctrl-C were not deferred here and came before `multiprocessing`
        stored the code, the process would seem to run forever.
        """
        with DeferredSignals():
            code: int | None = self.process.exitcode
        return code

    def is_lost(self) -> bool:
        """Return whether the worker can no longer send responses.

        A worker's socket closes before its process can be reaped, and much earlier if the system must release many
        resources. Therefore, only this method, and not `has_process`, can tell a dead worker from a slow one.
        """
        return self._transport.closed or not self.has_process()

    def exit_code(self) -> int | None:
        """Return the exit code of a lost worker, or None if the system does not report the code in time."""
        return self._exit_code if self.process is None else self._last_exit_code()

    def _last_exit_code(self) -> int | None:
        """Wait for the process to exit and return its exit code. Wait longer if the process is already exiting."""
        code = self.join(GRACE_PERIOD)
        return self.join(EXIT_CODE_TIMEOUT) if code is None and self._is_exiting() else code

    def join(self, seconds: float) -> int | None:
        """Wait for the process to exit and return its exit code, or None if it does not exit in time.

        This method is used because `multiprocessing.Process.join` ignores its timeout if a forked process has closed
        its file descriptors.

        Args:
            seconds: the maximum number of seconds to wait.
        """
        deadline, pause = time.monotonic() + seconds, 0.0005
        poll = select.poll()
        if self._sentinel >= 0:
            poll.register(self._sentinel, select.POLLIN)
            poll.poll(seconds * 1000)
        while (code := self._poll()) is None and time.monotonic() < deadline:
            time.sleep(pause)  # the fork server has not reported the code yet
            pause = min(2 * pause, 0.02)
        return code

    def _is_exiting(self) -> bool:
        """Return whether the process is exiting, or has exited without its exit code being known yet."""
        if not self._own_sentinel:
            return False
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return True  # the process was reaped
        return bool(int(fields.rpartition(")")[2].split()[6]) & PF_EXITING)

    def env_at_work(self) -> int:
        """Return the index of the environment that the worker is stepping."""
        return int(self.indices.start + max(self._words[AT_WORK], 0))

    def measurements(self) -> Measurements:
        """Return the worker's measurements of its first steps."""
        wall, cpu, switches, steps = (self._words[word] for word in (WALL, CPU, SWITCHES, STEPS))
        return Measurements(wall, cpu, switches, steps * len(self.indices))

    # Closing

    def ask_to_close(self, deadline: float) -> None:
        """Ask the worker to close its environments and exit.

        Args:
            deadline: the time on the monotonic clock by which the request must have been sent.
        """
        if self._words is None:
            # The worker is waiting for a memory layout. None asks the worker to close instead.
            self._send(self._pickled(None), deadline)
        else:
            self.request("close", deadline=deadline)

    def has_confirmed_close(self) -> bool:
        """Return whether the worker has received the request to close."""
        return self._words is None or self._words[AT_WORK] == -1

    def close_failures(self) -> list[Any]:
        """Return the failures that the worker has reported for environments that could not be closed."""
        failures = []
        while (data := self._transport.next()) is not None:
            with contextlib.suppress(Exception):  # unpickling third-party objects may raise any exception
                number, _, message = pickle.loads(data)  # noqa: S301 - the worker process is trusted
                if number == self._request:
                    failures += message.failures
        return failures


def _sentinel(process: Any) -> tuple[int, bool]:
    """Return a file descriptor that becomes readable when the process exits, and whether the caller must close it.

    A pidfd is preferred because it also works if children of the process outlive it.
    """
    if hasattr(os, "pidfd_open"):
        with contextlib.suppress(OSError):
            return os.pidfd_open(process.pid), True
    return process.sentinel, False


def ask_to_close(workers: Sequence[WorkerHandle], timeout: float | None, failures: list[Any]) -> None:
    """Ask workers to close their environments, and wait until their processes have exited.

    Args:
        workers: the workers to close. Workers that have already exited are skipped.
        timeout: the time limit in seconds. None allows the workers 1 second to confirm the request and then 10 seconds
            to close.
        failures: a list to which the failures of environments that could not be closed are appended.
    """
    began = time.monotonic()
    waiting, pause = [worker for worker in workers if worker.has_process()], 0.0005
    for worker in waiting:
        worker.ask_to_close(began + (GRACE_PERIOD if timeout is None else timeout))
    while waiting:
        for worker in list(waiting):
            failures += worker.close_failures()
            limit = timeout if timeout is not None else CLOSE_TIMEOUT if worker.has_confirmed_close() else GRACE_PERIOD
            if not worker.has_process() or time.monotonic() > began + limit:
                waiting.remove(worker)
        if waiting:
            time.sleep(pause)
            pause = min(pause * 2, 0.02)


def end_workers(workers: Sequence[WorkerHandle]) -> None:
    """End all processes that are still running, first with SIGTERM and then with SIGKILL. Release all resources.

    Args:
        workers: the workers to end, some of which may have already exited.
    """
    for method in ("terminate", "kill"):
        alive = [worker for worker in workers if worker.has_process()]
        for worker in alive:
            getattr(worker.process, method)()
        deadline = time.monotonic() + GRACE_PERIOD
        for worker in alive:
            worker.join(max(deadline - time.monotonic(), 0.0))
    for worker in workers:
        worker.discard()
