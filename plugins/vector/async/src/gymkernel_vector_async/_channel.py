"""How a parent and a worker ask, answer and sleep: words of shared memory, a pair of sockets, and the parent's ends."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from gymkernel_util_vector.processes.pickling import dumps
from gymkernel_util_vector.shards.answer_pickling import unpickle_answer

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Channel", "Command", "SpinWait", "Transport", "close_after_fork", "fence", "remaining"]

BLOCK_SIZE: Final = 16
"""Words of a block; the parent has one, and after it each worker."""
MEASURED_STEPS: Final = 64
"""Steps of which a worker measures how much is waiting."""


PARENT_ASLEEP: Final = 0
"""In the parent's block: whether an answer needs a wake-up."""
REQUEST: Final = 0
"""By the parent: number of the last request; written after what belongs to it."""
COMMAND: Final = 1
"""By the parent: what is asked, a `Command`."""
BUFFER: Final = 2
"""By the parent: the buffer of the ring that results go to."""
ANSWER: Final = 8
"""By the worker, as all that follow, in a cache line of its own: number of the last request that was answered; written
after the results."""
HAS_MESSAGE: Final = 9
"""Whether a message goes with the answer."""
ASLEEP: Final = 10
"""Whether a request needs a wake-up."""
AT_WORK: Final = 11
"""Position of the environment at work; -1 once the worker is closing its environments."""
WALL, CPU, SWITCHES, STEPS = 12, 13, 14, 15
"""`Measurements` of the first steps."""


class Command:
    """What is asked of a worker."""

    STEP = 1
    """Step with the actions in shared memory."""
    MESSAGE = 2
    """Read a message, and do what it says."""
    SINGLE_STEPS = 3
    """Step the environments whose numbers in `requested` and `completed` differ."""


CHECKS: Final = 10
"""Times that a waiting process looks before it yields its processor."""
YIELDS: Final = 5000
"""Times that it yields and looks again before it sleeps: about 3 ms."""
SLOW_YIELD: Final = 1_000_000
"""Nanoseconds after which a yield shows that others use the processors. A worker that shares one with its parent has
steps of some hundred microseconds, for which neither is to sleep."""

_fence = threading.Lock()


def _renew_fence() -> None:
    """Have a lock of one's own in a forked process: another thread may hold the parent's at this moment."""
    global _fence  # noqa: PLW0603 - as above
    _fence = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_fence)


def fence() -> None:
    """Make what was written visible before what is read next: an atomic operation, which no processor reorders."""
    with _fence:  # which releases it, too, where a signal's handler (Ctrl-C) raises in between
        pass


class SpinWait:
    """Waits a short time for a word without sleeping; on a busy machine it gives up at once.

    A process that yields on a busy machine may not be back for milliseconds, while a sleeper is woken at once. So after
    a slow yield, the next waits do not spin.

    Args:
        oversubscribed: whether there are more workers than processors, so that each that spins keeps another waiting.
    """

    def __init__(self, *, oversubscribed: bool) -> None:
        self._oversubscribed, self._skipped = oversubscribed, 0

    def wait(self, words: Any, index: int, value: int, *, equal: bool) -> bool:
        """Whether a word became equal (or, for `equal=False`, unequal) to a value before it is time to sleep."""
        for _ in range(CHECKS):
            if (words[index] == value) is equal:
                return True
        if self._oversubscribed:
            return False
        if self._skipped:
            self._skipped -= 1
            return False
        clock, sched_yield = time.perf_counter_ns, os.sched_yield
        now = clock()
        for _ in range(YIELDS):
            sched_yield()
            found = (words[index] == value) is equal
            before, now = now, clock()
            if now - before > SLOW_YIELD:
                self._skipped = 32
                return found
            if found:
                return True
        return False


_LENGTH = struct.Struct("<Q")
CHUNK = 1 << 20
WAKE_UP = _LENGTH.pack(0)
"""A message of no length: it only wakes the receiver."""

close_after_fork: set[int] = set()
"""Descriptors that a process forked from this one must not keep, or an end of file would not be seen."""


def _close_inherited() -> None:
    for fd in close_after_fork:
        with contextlib.suppress(OSError):
            os.close(fd)
    close_after_fork.clear()


os.register_at_fork(after_in_child=_close_inherited)


def remaining(deadline: float | None) -> float | None:
    """Seconds until a deadline of the monotonic clock, at least 0."""
    return None if deadline is None else max(deadline - time.monotonic(), 0.0)


class Transport:
    """One end: frames of 8 bytes of length and a pickle.

    Args:
        end: a socket of a pair.
    """

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self.fd = end.fileno()
        close_after_fork.add(self.fd)
        self.closed = False
        """Whether the other side is gone."""
        self._outgoing: tuple[bytes, list[int]] = b"", []
        """What is to be sent, and how much of it was, by each call."""
        self._received = bytearray()
        self._frames: deque[bytes] = deque()

    def wake(self) -> None:
        """Wake the other side; while its inbox is full it is awake."""
        if not self._outgoing[0]:
            try:  # noqa: SIM105 - with contextlib, it takes four times as long
                self._socket.send(WAKE_UP, socket.MSG_DONTWAIT)
            except OSError:
                pass

    def send(self, data: bytes, deadline: float | None = None, sentinel: int = -1) -> bool:
        """Send one frame, taking in what arrives meanwhile, so that two full sockets never wait for each other.

        Args:
            data: the pickle.
            deadline: of the monotonic clock; what is not sent by then goes before the next frame.
            sentinel: a descriptor that is readable when the other side has ended.

        Returns:
            False where the deadline passed; whether the other side is gone is in `closed`.
        """
        unsent, counts = self._outgoing
        self._outgoing = b"".join((unsent[sum(counts) :], _LENGTH.pack(len(data)), data)), []
        return self.flush(deadline, sentinel)

    @property
    def sending(self) -> bool:
        """Whether something waits to be sent."""
        return bool(self._outgoing[0])

    def flush(self, deadline: float | None = None, sentinel: int = -1) -> bool:
        """Send what waits; arguments and result as of `send`."""
        data, counts = self._outgoing
        view, size = memoryview(data), len(data)
        while sum(counts) < size and not self.closed:
            try:
                # in C from end to end, as in receive: nothing is sent that is not counted
                counts.extend(map(self._socket.send, (view[sum(counts) :],), (socket.MSG_DONTWAIT,)))
            except BlockingIOError:
                if not self._writable(remaining(deadline), sentinel):
                    return False
            except OSError:
                self.receive()  # what the other side sent last
                self.closed = True
        self._outgoing = b"", []
        return True

    def _writable(self, timeout: float | None, sentinel: int) -> bool:
        """Wait until something can be sent, or was taken in, or the other side is gone; False where time is up."""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN | select.POLLOUT)
        if sentinel >= 0:
            poll.register(sentinel, select.POLLIN)
        ready = dict(poll.poll(None if timeout is None else timeout * 1000))
        if ready.get(self.fd, 0) & select.POLLIN:
            self.receive()
        self.closed = self.closed or sentinel in ready
        return bool(ready)

    def receive(self) -> None:
        """Take in what has arrived, without waiting."""
        received = self._received
        while not self.closed:
            before = len(received)
            try:
                # in C from end to end: the handler of a signal (Ctrl-C) that raises cannot come between, and nothing
                # that was received is lost
                deque(map(received.extend, map(self._socket.recv, (CHUNK,), (socket.MSG_DONTWAIT,))), 0)
            except BlockingIOError:
                break
            except OSError:
                self.closed = True
                break
            taken = len(received) - before
            self.closed = not taken
            if taken < CHUNK:
                break
        while len(received) >= 8:
            stop = 8 + _LENGTH.unpack_from(received)[0]
            if len(received) < stop:
                break
            if stop > 8:
                self._frames.append(bytes(memoryview(received)[8:stop]))
            del received[:stop]

    def next(self) -> bytes | None:
        """The next frame that has arrived, or None."""
        if not self._frames:
            self.receive()
        return self._frames.popleft() if self._frames else None

    def first(self) -> bytes | None:
        """The next frame that has arrived, which stays until `next` takes it, or None."""
        if not self._frames:
            self.receive()
        return self._frames[0] if self._frames else None

    def wait(self, timeout: float | None = None) -> None:
        """Sleep until something arrives or the other side is gone."""
        if not self._frames and not self.closed:
            poll = select.poll()
            poll.register(self.fd, select.POLLIN)
            poll.poll(None if timeout is None else timeout * 1000)

    def close(self) -> None:
        """Close this end."""
        close_after_fork.discard(self.fd)
        self.closed = True
        self._socket.close()


class Channel:
    """The parent's ends of the words and the socket of one worker.

    Args:
        indices: the environments of the worker.
        request_numbers: every request takes the next number of this iterator.
    """

    def __init__(self, indices: range, request_numbers: Iterator[int]) -> None:
        self.indices = indices
        self._request_numbers, self._request = request_numbers, 0
        """All numbers, and the number of the last request to this worker."""
        self._transport: Transport = None  # type: ignore[assignment]
        self._words: memoryview[int] = None  # type: ignore[assignment]
        """The worker's words, once there is shared memory."""
        self._sentinel = -1
        """A descriptor that is readable when the process has ended."""
        self._known_classes: set[str] | None = None
        """Classes that the worker has; None if it was forked, and has all of them."""

    # Requests

    def post(self, number: int, command: int, buffer: int) -> None:
        """Write a request; `wake_if_asleep` follows once all workers have theirs.

        Args:
            number: of the request.
            command: a `Command`.
            buffer: of the ring, for the results.
        """
        self._request = number
        words = self._words
        words[COMMAND], words[BUFFER] = command, buffer
        words[REQUEST] = number

    def request(self, what: str, *arguments: Any, deadline: float | None = None) -> None:
        """Send a request as a message; what the socket does not take by the deadline goes before the next message."""
        number = next(self._request_numbers)
        self.post_message(number, self.request_message(number, what, *arguments), deadline)

    def request_message(self, number: int, what: str, *arguments: Any) -> bytes:
        """Return a request as a message, which also has the steps that the worker may not have seen before it."""
        words = self._words
        command = words[COMMAND]
        seen = command == Command.MESSAGE or self.has_answered()
        unseen = None if seen else (self._request, command, words[BUFFER])
        return self._pickled((number, unseen, what, *arguments))

    def post_message(self, number: int, message: bytes, deadline: float | None = None) -> None:
        """Send a request that is a message; sent again with the same number, it is the same request."""
        self._request = number
        self._words[COMMAND] = Command.MESSAGE
        self._words[REQUEST] = number
        self._send(message, deadline)

    def _pickled(self, message: Any) -> bytes:
        return dumps(message, self._known_classes)

    def _send(self, data: bytes, deadline: float | None = None) -> None:
        self._transport.send(data, time.monotonic() if deadline is None else deadline, self._sentinel)

    def wake_if_asleep(self) -> None:
        """Wake the worker if it sleeps; after a fence."""
        if self._words[ASLEEP]:
            self._transport.wake()

    # Answers

    def has_answered(self) -> bool:
        """Return whether the worker has answered the last request."""
        return self._words[ANSWER] == self._request

    def is_stepping(self) -> bool:
        """Return whether the last request is an unanswered step with the actions in shared memory."""
        return self._words[COMMAND] == Command.STEP and not self.has_answered()

    def spin(self, spin: SpinWait) -> bool:
        """Wait for the answer for a short time, without sleeping; return whether it is there."""
        return spin.wait(self._words, ANSWER, self._request, equal=True)

    def has_message(self) -> bool:
        """Return whether a message goes with the answer."""
        return self._words[HAS_MESSAGE] != 0

    def is_current(self, number: int) -> bool:
        """Return whether a request is the last one; answers to earlier requests are dropped."""
        return number == self._request

    def first_message(self) -> Any:
        """Return the next message that has arrived, which stays until `drop_message`, or None."""
        data = self._transport.first()
        return None if data is None else unpickle_answer(data, self.indices)

    def drop_message(self) -> None:
        """Remove the first message."""
        self._transport.next()

    def next_message(self) -> Any:
        """Return the next message that has arrived, and remove it, or return None."""
        data = self._transport.next()
        return None if data is None else unpickle_answer(data, self.indices)

    # Waiting for several workers at once

    def register(self, poll: select.poll) -> int:
        """Let a poll wait for messages and the end of the worker; return the socket, or -1 if no message will come."""
        if self._sentinel >= 0:  # otherwise the process could not be started
            poll.register(self._sentinel, select.POLLIN)
        if self._transport.closed:
            return -1
        poll.register(self._transport.fd, select.POLLIN | (select.POLLOUT if self._transport.sending else 0))
        return self._transport.fd

    def is_sending(self) -> bool:
        """Return whether a message to the worker waits until there is room."""
        return self._transport.sending

    def exchange(self) -> bool:
        """Receive what has arrived, and send what waits; return whether the worker is gone."""
        self._transport.receive()
        if self._transport.sending:
            self._transport.flush(time.monotonic(), self._sentinel)
        return self._transport.closed
