"""`WorkerHandle`: a worker as its parent sees it: its process, its control block and its transport."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
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
    from gymkernel_util_vector.shards.messages import ShardSettings
    from gymkernel_vector_async._memory import Layout

__all__ = ["WorkerHandle", "ask_to_close", "end_workers"]

CLOSE_TIMEOUT: Final = 10.0
"""Seconds for environments to close, once their worker has the request."""
GRACE_PERIOD: Final = 1.0
"""Seconds for a worker to hear that it shall close, and again to end after SIGTERM."""
EXIT_CODE_TIMEOUT: Final = 10.0
"""Seconds for the system to end a process (with a graphics card, say), and for a fork server to report how it ended."""


PF_EXITING: Final = 4
"""The flag of a process, on Linux, that the system is ending."""


class WorkerHandle(Channel):
    """A process that steps environments `first` to `first + n - 1`.

    Args:
        number: its place among the workers.
        first: index of its first environment.
        env_fns: functions that make its environments.
        settings: how they are stepped.
        request_numbers: of which every request takes the next.
        daemon: whether the process may not have children, and never outlives its parent.
    """

    def __init__(
        self,
        number: int,
        first: int,
        env_fns: Sequence[Callable[[], Any]],
        settings: ShardSettings,
        request_numbers: Iterator[int],
        *,
        daemon: bool,
    ) -> None:
        super().__init__(range(first, first + len(env_fns)), request_numbers)
        self.number = number
        self.process: Any = None
        self._env_fns, self._settings, self._daemon = list(env_fns), settings, daemon
        self._own_sentinel = False
        """Whether `_sentinel` is to be closed here."""
        self._exit_code: int | None = None
        """How the last process that was discarded has ended."""

    # Starting and ending the process

    def start(self, launcher: Launcher, memory: int) -> None:
        """Start the process; it makes its environments, and tells.

        Args:
            launcher: by which.
            memory: descriptor of the shared memory.
        """
        self._launch(launcher, memory)
        try:
            if launcher.forked_beside_threads():
                self.discard()
                self._launch(launcher, memory)
            data = known = None
            if launcher.method != "fork":
                known = set[str]()
                data = SpawnData.collect(self._env_fns, self.indices.start, known)
            self._known_classes = known
            self._transport.send(dumps(data), None, self._sentinel)
        except BaseException:
            self.discard()
            raise

    def _launch(self, launcher: Launcher, memory: int) -> None:
        """Start the process; it waits for its functions, or to hear that it has them."""
        with DeferredSignals():
            ours, theirs = socket.socketpair()
            self._transport, self._request = Transport(ours), 0
            arguments = WorkerArguments(
                number=self.number,
                first=self.indices.start,
                env_fns=self._env_fns if launcher.method == "fork" else None,
                settings=self._settings,
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
        """Clear its control block in shared memory, and tell it where everything is."""
        self._words = memory.integers(8 * BLOCK_SIZE * (1 + self.number), BLOCK_SIZE)
        for word in range(BLOCK_SIZE):
            self._words[word] = 0
        self._send(self._pickled(layout))

    def detach(self) -> None:
        """Let go of shared memory."""
        self._words = None  # type: ignore[assignment]

    def discard(self) -> None:
        """End the process if it still runs, and give back everything of it.

        A signal that interrupts the wait for the end of the process leaves the worker as it was: discard it again.
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
        """End the process at once; a later request finds that it has ended."""
        if self.process is not None:
            self.process.kill()

    def has_process(self) -> bool:
        """Return whether the process has not ended yet; it may be ending, and never answer again: see `is_lost`."""
        return self.process is not None and self._poll() is None

    def _poll(self) -> int | None:
        """Return the exit code of the process; None while the process runs.

        The system reports an exit code once. If Ctrl-C came between the report and the note that `multiprocessing`
        makes of the code, the process would seem to run for ever.
        """
        with DeferredSignals():
            code: int | None = self.process.exitcode
        return code

    def is_lost(self) -> bool:
        """Whether no more answers will come.

        The socket closes before the process can be reaped, a good while before where the system has much to give back.
        So only this method, and not `has_process`, decides between a worker that is late and one that has ended.
        """
        return self._transport.closed or not self.has_process()

    def exit_code(self) -> int | None:
        """Return how a lost worker's process ended; None if that is not known in time."""
        return self._exit_code if self.process is None else self._last_exit_code()

    def _last_exit_code(self) -> int | None:
        """Wait for the end of the process, longer if the system is ending the process, and return its exit code."""
        code = self.join(GRACE_PERIOD)
        return self.join(EXIT_CODE_TIMEOUT) if code is None and self._is_exiting() else code

    def join(self, seconds: float) -> int | None:
        """Wait for the end of the process, and return its exit code; None if the process has not ended in time.

        The `join` of a forked process takes its time-out as over once the process has closed its descriptors, and then
        waits without a limit.
        """
        deadline, pause = time.monotonic() + seconds, 0.0005
        poll = select.poll()
        if self._sentinel >= 0:
            poll.register(self._sentinel, select.POLLIN)
            poll.poll(seconds * 1000)
        while (code := self._poll()) is None and time.monotonic() < deadline:
            time.sleep(pause)  # a fork server has not reported the code yet
            pause = min(2 * pause, 0.02)
        return code

    def _is_exiting(self) -> bool:
        """Whether the system is ending the process, or has ended it and whoever started it has not reaped it yet."""
        if not self._own_sentinel:
            return False
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return True  # it was reaped
        return bool(int(fields.rpartition(")")[2].split()[6]) & PF_EXITING)

    def spaces(self, position: int, data: bytes, *, by_name: bool) -> tuple[Any, Any]:
        """The spaces that it pickled; where their classes have no name, those of an environment made here."""
        if data and (by_name or self._known_classes is not None):
            pair: tuple[Any, Any] = pickle.loads(data)  # noqa: S301 - of this program's own worker
            return pair
        env = self._env_fns[position]()
        pair = (env.observation_space, env.action_space)
        env.close()
        return pair

    def env_at_work(self) -> int:
        """Index of the environment that it is busy with."""
        return int(self.indices.start + max(self._words[AT_WORK], 0))

    def measurements(self) -> Measurements:
        """What it measured in its first steps."""
        wall, cpu, switches, steps = (
            self._words[word] for word in (WALL, CPU, SWITCHES, STEPS)
        )
        return Measurements(wall, cpu, switches, steps * len(self.indices))

    # Closing

    def ask_to_close(self, deadline: float) -> None:
        """Have it close its environments and end."""
        if self._words is None:
            self._send(self._pickled(None), deadline)  # it waits for the layout: there will be none
        else:
            self.request("close", deadline=deadline)

    def has_heard_to_close(self) -> bool:
        """Whether it is closing its environments."""
        return self._words is None or self._words[AT_WORK] == -1

    def close_failures(self) -> list[Any]:
        """Failures of environments that could not close, as far as it has told."""
        failures = []
        while (data := self._transport.next()) is not None:
            with contextlib.suppress(Exception):  # whatever a class of somebody else does when it is made
                number, _, message = pickle.loads(data)  # noqa: S301 - of this program's own worker
                if number == self._request:
                    failures += message.failures
        return failures


def _sentinel(process: Any) -> tuple[int, bool]:
    """A descriptor that is readable when a process has ended, also where children of it live on; whether it is new."""
    if hasattr(os, "pidfd_open"):
        with contextlib.suppress(OSError):
            return os.pidfd_open(process.pid), True
    return process.sentinel, False


def ask_to_close(workers: Sequence[WorkerHandle], timeout: float | None, failures: list[Any]) -> None:
    """Ask workers to close their environments, and wait until their processes have ended.

    Args:
        workers: some of which may have ended.
        timeout: seconds; None for 1 s to hear, and 10 s to close once heard.
        failures: is given the failures of environments that could not close.
    """
    began = time.monotonic()
    waiting, pause = [worker for worker in workers if worker.has_process()], 0.0005
    for worker in waiting:
        worker.ask_to_close(began + (GRACE_PERIOD if timeout is None else timeout))
    while waiting:
        for worker in list(waiting):
            failures += worker.close_failures()
            limit = timeout if timeout is not None else CLOSE_TIMEOUT if worker.has_heard_to_close() else GRACE_PERIOD
            if not worker.has_process() or time.monotonic() > began + limit:
                waiting.remove(worker)
        if waiting:
            time.sleep(pause)
            pause = min(pause * 2, 0.02)


def end_workers(workers: Sequence[WorkerHandle]) -> None:
    """End processes that still run, by SIGTERM, then by SIGKILL, and give back everything of all of them.

    Args:
        workers: some of which may have ended.
    """
    for end in ("terminate", "kill"):
        left = [worker for worker in workers if worker.has_process()]
        for worker in left:
            getattr(worker.process, end)()
        deadline = time.monotonic() + GRACE_PERIOD
        for worker in left:
            worker.join(max(deadline - time.monotonic(), 0.0))
    for worker in workers:
        worker.discard()
