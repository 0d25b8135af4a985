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
from gymkernel_util_vector.shards.answer_pickling import unpickle_answer
from gymkernel_vector_async import _control_block as control
from gymkernel_vector_async._control_block import BLOCK_SIZE, Command, SpinWait
from gymkernel_vector_async._memory import Block, Descriptor
from gymkernel_vector_async._transport import Transport
from gymkernel_vector_async._worker import WorkerArguments, run_worker
from gymkernel_vector_async._worker_count import Measurements

if TYPE_CHECKING:
    from gymkernel_util_vector.processes.start_method import Launcher
    from gymkernel_util_vector.shards.messages import ShardSettings
    from gymkernel_vector_async._layout import Address

__all__ = ["WorkerHandle"]

GRACE_PERIOD: Final = 1.0
"""Seconds for a worker to hear that it shall close, and again to end after SIGTERM."""
EXIT_CODE_TIMEOUT: Final = 10.0
"""Seconds for the system to end a process (with a graphics card, say), and for a fork server to report how it ended."""


PF_EXITING: Final = 4
"""The flag of a process, on Linux, that the system is ending."""


class WorkerHandle:
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
        self.number, self.indices = number, range(first, first + len(env_fns))
        self.process: Any = None
        self._env_fns, self._settings, self._daemon = list(env_fns), settings, daemon
        self._transport: Transport = None  # type: ignore[assignment]
        self._words: memoryview[int] = None  # type: ignore[assignment]
        """Its control block, once there is any."""
        self._request_numbers, self._request = request_numbers, 0
        """Number of the last request, as the other numbers of requests."""
        self._sentinel, self._own_sentinel = -1, False
        """A descriptor that is readable when the process has ended, and whether it is to be closed here."""
        self._exit_code: int | None = None
        """How the last process ended that was discarded."""
        self._forked = True

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
            self._forked, self._known_classes = launcher.method == "fork", set[str]()
            data = None if self._forked else SpawnData.collect(self._env_fns, self.indices.start, self._known_classes)
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

    def attach(self, memory: Block, address: Address) -> None:
        """Clear its control block in shared memory, and tell it where everything is."""
        self._words = memory.integers(8 * BLOCK_SIZE * (1 + self.number), BLOCK_SIZE)
        for word in range(BLOCK_SIZE):
            self._words[word] = 0
        self._send(self._pickled(address))

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
        if data and (by_name or not self._forked):
            pair: tuple[Any, Any] = pickle.loads(data)  # noqa: S301 - of this program's own worker
            return pair
        env = self._env_fns[position]()
        pair = (env.observation_space, env.action_space)
        env.close()
        return pair

    # Requests

    def post(self, number: int, command: int, buffer: int) -> None:
        """Write a request; `wake_if_asleep` comes once all workers have theirs.

        Args:
            number: of the request.
            command: a `Command`.
            buffer: of the ring, for the results.
        """
        self._request = number
        words = self._words
        words[control.COMMAND], words[control.BUFFER] = command, buffer
        words[control.REQUEST] = number

    def request(self, what: str, *arguments: Any, deadline: float | None = None) -> None:
        """Send a request as a message; what its socket does not take by the deadline is sent with what comes later."""
        number = next(self._request_numbers)
        self.post_message(number, self.request_message(number, what, *arguments), deadline)

    def request_message(self, number: int, what: str, *arguments: Any) -> bytes:
        """A request as a message, which also tells of steps that the worker may not have seen before this request."""
        words = self._words
        command = words[control.COMMAND]
        seen = command == Command.MESSAGE or self.has_answered()
        unseen = None if seen else (self._request, command, words[control.BUFFER])
        return self._pickled((number, unseen, what, *arguments))

    def post_message(self, number: int, message: bytes, deadline: float | None = None) -> None:
        """Send a request that is a message; done again with the same number, it is one request."""
        self._request = number
        self._words[control.COMMAND] = Command.MESSAGE
        self._words[control.REQUEST] = number
        self._send(message, deadline)

    def _pickled(self, message: Any) -> bytes:
        return dumps(message, None if self._forked else self._known_classes)

    def _send(self, data: bytes, deadline: float | None = None) -> None:
        self._transport.send(data, time.monotonic() if deadline is None else deadline, self._sentinel)

    def wake_if_asleep(self) -> None:
        """Wake it where it sleeps; after a fence."""
        if self._words[control.ASLEEP]:
            self._transport.wake()

    # Answers

    def has_answered(self) -> bool:
        """Whether it has answered the last request."""
        return self._words[control.ANSWER] == self._request

    def is_stepping(self) -> bool:
        """Whether the last request is a step with the actions in shared memory, which it has not answered."""
        return self._words[control.COMMAND] == Command.STEP and not self.has_answered()

    def spin(self, spin: SpinWait) -> bool:
        """Wait for the answer for a short time, without sleeping; whether it is there."""
        return spin.wait(self._words, control.ANSWER, self._request, equal=True)

    def has_message(self) -> bool:
        """Whether a message goes with the answer."""
        return self._words[control.HAS_MESSAGE] != 0

    def is_current(self, number: int) -> bool:
        """Whether a request is the last one; what is answered to others is dropped."""
        return number == self._request

    def next_message(self) -> Any:
        """The next message that has arrived, or None."""
        data = self._transport.next()
        return None if data is None else unpickle_answer(data, self.indices)

    def first_message(self) -> Any:
        """The next message that has arrived, which stays until `drop_message`, or None."""
        data = self._transport.first()
        return None if data is None else unpickle_answer(data, self.indices)

    def drop_message(self) -> None:
        """Be done with the first message."""
        self._transport.next()

    def env_at_work(self) -> int:
        """Index of the environment that it is busy with."""
        return int(self.indices.start + max(self._words[control.AT_WORK], 0))

    def measurements(self) -> Measurements:
        """What it measured in its first steps."""
        wall, cpu, switches, steps = (
            self._words[word] for word in (control.WALL, control.CPU, control.SWITCHES, control.STEPS)
        )
        return Measurements(wall, cpu, switches, steps * len(self.indices))

    # Waiting for several workers at once

    def register(self, poll: select.poll) -> int:
        """Have a poll wait for its messages and its end; the descriptor of the messages, -1 where none will come."""
        if self._sentinel >= 0:  # or else it could not be started
            poll.register(self._sentinel, select.POLLIN)
        if self._transport.closed:
            return -1
        poll.register(self._transport.fd, select.POLLIN | (select.POLLOUT if self._transport.sending else 0))
        return self._transport.fd

    def is_sending(self) -> bool:
        """Whether a message to it waits until there is room."""
        return self._transport.sending

    def exchange(self) -> bool:
        """Receive what has arrived, and send what waits; whether the other side is gone."""
        self._transport.receive()
        if self._transport.sending:
            self._transport.flush(time.monotonic(), self._sentinel)
        return self._transport.closed

    # Closing

    def ask_to_close(self, deadline: float) -> None:
        """Have it close its environments and end."""
        if self._words is None:
            self._send(self._pickled(None), deadline)  # it waits for the layout: there will be none
        else:
            self.request("close", deadline=deadline)

    def has_heard_to_close(self) -> bool:
        """Whether it is closing its environments."""
        return self._words is None or self._words[control.AT_WORK] == -1

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
