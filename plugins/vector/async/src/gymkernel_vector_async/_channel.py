"""Communication between the parent and a worker, through control words in shared memory and a socket pair."""

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
from gymkernel_util_vector.shards.requests import remaining
from gymkernel_util_vector.shards.shard_pool import PoolWorker, Share

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Channel", "Command", "SpinWait", "Transport", "close_after_fork", "fence"]

BLOCK_SIZE: Final = 16
"""The number of words in a control block.

The first block belongs to the parent and is followed by one block per worker.
"""
MEASURED_STEPS: Final = 64
"""The number of initial steps during which a worker measures how long its environments wait."""


PARENT_ASLEEP: Final = 0
"""The index of the word in the parent's block that is 1 while the parent sleeps and must be woken by a response."""
REQUEST: Final = 0
"""The index of the word for the number of the latest request. The parent writes the request's data before this word."""
COMMAND: Final = 1
"""The index of the word for the request's `Command`, which the parent writes."""
BUFFER: Final = 2
"""The index of the word for the number of the buffer that receives the results. The parent writes this word."""
ANSWER: Final = 8
"""The index of the word for the number of the latest answered request. The worker writes the results before this word.

This word and all later words are written by the worker and have their own cache line."""
HAS_MESSAGE: Final = 9
"""The index of the word that is 1 if the response comes with a message."""
ASLEEP: Final = 10
"""The index of the word that is 1 while the worker sleeps and must be woken by a request."""
AT_WORK: Final = 11
"""The index of the word for the position of the environment that is being stepped. It is -1 during `close`."""
WALL, CPU, SWITCHES, STEPS = 12, 13, 14, 15
"""The index of the first of the words that contain the worker's `Measurements`."""


class Command:
    """The kinds of requests that the parent sends to a worker."""

    STEP = 1
    """Step all environments with the actions in shared memory."""
    MESSAGE = 2
    """Read the request from the next message."""
    SINGLE_STEPS = 3
    """Step the environments whose numbers in `requested` and `completed` differ."""


CHECKS: Final = 10
"""How many times a waiting process reads a word before it starts to yield its processor."""
YIELDS: Final = 5000
"""How many times a waiting process yields its processor before it sleeps. 5000 yields take about 3 ms."""
SLOW_YIELD: Final = 1_000_000
"""The duration in nanoseconds from which a yield is considered slow, which means that other processes are busy.

If a worker shares a processor with its parent, a yield takes as long as the other process's step, which is a few
hundred microseconds. The limit is well above this, because neither process should sleep in that case."""

_fence = threading.Lock()


def _renew_fence() -> None:
    global _fence  # noqa: PLW0603 - there is one lock per process
    _fence = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_fence)


def fence() -> None:
    """Make all earlier writes visible to other processes before any later read.

    The function acquires a lock. This is an atomic operation, across which processors do not reorder memory accesses.
    """
    with _fence:  # unlike acquire and release, this also releases the lock if Ctrl-C raises KeyboardInterrupt
        pass


class SpinWait:
    """A helper that waits briefly for a change in shared memory, without sleeping.

    On a busy machine, a process that yields may not run again for several milliseconds, whereas a sleeping process is
    woken immediately. Therefore, after a slow yield, the next few waits return immediately.

    Args:
        oversubscribed: whether there are more workers than processors. In that case, a spinning worker would delay
            another worker.
    """

    def __init__(self, *, oversubscribed: bool) -> None:
        self._oversubscribed, self._skipped = oversubscribed, 0

    def wait(self, words: Any, index: int, value: int, *, equal: bool) -> bool:
        """Wait until a word equals `value` or differs from `value`. Return False if the caller should sleep instead.

        Args:
            words: a control block.
            index: the index of the word in the block.
            value: the value to compare with.
            equal: True to wait until the word equals the value; False to wait until the word differs from the value.
        """
        for _ in range(CHECKS):
            if (words[index] == value) is equal:
                return True
        clock, sched_yield, yields = time.perf_counter_ns, os.sched_yield, self.allowed_yields(YIELDS)
        now = clock() if yields else 0
        for _ in range(yields):  # without calling `pause`, because a call per yield would delay short steps
            sched_yield()
            is_reached = (words[index] == value) is equal
            before, now = now, clock()
            if now - before > SLOW_YIELD:
                self._skipped = 32
                return is_reached
            if is_reached:
                return True
        return False

    def allowed_yields(self, most: int) -> int:
        """Return how often the caller may yield its processor before it sleeps. This is 0 if it should sleep now.

        Args:
            most: the number of yields on a machine that is not busy.
        """
        if self._oversubscribed:
            return 0
        if self._skipped:
            self._skipped -= 1
            return 0
        return most

    def pause(self) -> bool:
        """Yield the processor once. Return False if the yield was slow, because the caller should sleep then."""
        before = time.perf_counter_ns()
        os.sched_yield()
        if time.perf_counter_ns() - before > SLOW_YIELD:
            self._skipped = 32
            return False
        return True


_LENGTH = struct.Struct("<Q")
CHUNK = 1 << 20
WAKE_UP = _LENGTH.pack(0)
"""An empty message, whose only purpose is to wake the receiver."""

close_after_fork: set[int] = set()
"""File descriptors that a forked process must close. Otherwise, the other end would never see the end of the stream."""


def _close_inherited() -> None:
    for fd in close_after_fork:
        with contextlib.suppress(OSError):
            os.close(fd)
    close_after_fork.clear()


os.register_at_fork(after_in_child=_close_inherited)


class Transport:
    """One end of a socket pair that exchanges messages.

    Each message is sent as a frame: its length in 8 bytes, followed by the pickled message.

    Args:
        end: one of the two sockets.
    """

    def __init__(self, end: socket.socket) -> None:
        self._socket = end
        self.fd = end.fileno()
        close_after_fork.add(self.fd)
        self.closed = False
        """Whether the other process has closed its end."""
        self._outgoing: tuple[bytes, list[int]] = b"", []
        """The bytes to send, and how many bytes each call to `socket.send` has sent so far."""
        self._received = bytearray()
        self._frames: deque[bytes] = deque()

    def wake(self) -> None:
        """Wake the other process. Errors are ignored: if the buffer is full, the process wakes up anyway."""
        if not self._outgoing[0]:
            try:  # noqa: SIM105 - contextlib.suppress is four times as slow
                self._socket.send(WAKE_UP, socket.MSG_DONTWAIT)
            except OSError:
                pass

    def send(self, data: bytes, deadline: float | None = None, sentinel: int = -1) -> bool:
        """Send a message as a frame.

        Data is received in the meantime, so that two processes with full buffers never wait for each other.

        Args:
            data: the pickled message.
            deadline: the deadline on the monotonic clock. Bytes that have not been sent by then are sent before the
                next frame.
            sentinel: a file descriptor that becomes readable when the other process exits; -1 if there is none.

        Returns:
            False if the deadline has passed. True does not mean that the other process still exists; see `closed`.
        """
        unsent, counts = self._outgoing
        self._outgoing = b"".join((unsent[sum(counts) :], _LENGTH.pack(len(data)), data)), []
        return self.flush(deadline, sentinel)

    @property
    def sending(self) -> bool:
        """Whether there are bytes that have not been sent yet."""
        return bool(self._outgoing[0])

    def flush(self, deadline: float | None = None, sentinel: int = -1) -> bool:
        """Send the bytes that have not been sent yet. The arguments and the result are the same as for `send`."""
        data, counts = self._outgoing
        view, size = memoryview(data), len(data)
        while sum(counts) < size and not self.closed:
            try:
                # This line runs entirely in C, so Ctrl-C cannot interrupt it after bytes are sent but before they are
                # counted.
                counts.extend(map(self._socket.send, (view[sum(counts) :],), (socket.MSG_DONTWAIT,)))
            except BlockingIOError:
                if not self._wait_for_room(remaining(deadline), sentinel):
                    return False
            except OSError:
                self.receive()  # receive the last messages that the other process sent
                self.closed = True
        self._outgoing = b"", []
        return True

    def _wait_for_room(self, timeout: float | None, sentinel: int) -> bool:
        """Wait until the socket is ready or the other process exits. Return False if the wait times out."""
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
        """Receive the bytes that have arrived, without waiting."""
        received = self._received
        while not self.closed:
            before = len(received)
            try:
                # This line runs entirely in C. Ctrl-C cannot interrupt it, so no received byte is lost.
                deque(map(received.extend, map(self._socket.recv, (CHUNK,), (socket.MSG_DONTWAIT,))), 0)
            except BlockingIOError:
                break
            except OSError:
                self.closed = True
                break
            size = len(received) - before
            self.closed = not size
            if size < CHUNK:
                break
        while len(received) >= 8:
            stop = 8 + _LENGTH.unpack_from(received)[0]
            if len(received) < stop:
                break
            if stop > 8:
                self._frames.append(bytes(memoryview(received)[8:stop]))
            del received[:stop]

    def next(self) -> bytes | None:
        """Remove and return the next frame. Return None if no complete frame has arrived."""
        if not self._frames:
            self.receive()
        return self._frames.popleft() if self._frames else None

    def first(self) -> bytes | None:
        """Return the next frame without removing it. Return None if no complete frame has arrived."""
        if not self._frames:
            self.receive()
        return self._frames[0] if self._frames else None

    def wait(self, timeout: float | None = None) -> None:
        """Sleep until bytes arrive or the other process closes its end.

        Args:
            timeout: the maximum number of seconds to sleep; None for no limit.
        """
        if not self._frames and not self.closed:
            poll = select.poll()
            poll.register(self.fd, select.POLLIN)
            poll.poll(None if timeout is None else timeout * 1000)

    def close(self) -> None:
        """Close this end of the socket pair."""
        close_after_fork.discard(self.fd)
        self.closed = True
        self._socket.close()


class Channel(PoolWorker):
    """The parent's connection to a worker, which consists of the worker's control block and a socket.

    Args:
        share: the environments of the worker.
        request_numbers: an iterator that returns a new number for each request.
    """

    def __init__(self, share: Share, request_numbers: Iterator[int]) -> None:
        super().__init__(share)
        self._request_numbers, self._request = request_numbers, 0
        """The iterator that returns request numbers, and the number of the latest request to this worker."""
        self._transport: Transport = None  # type: ignore[assignment]
        self._words: memoryview[int] = None  # type: ignore[assignment]
        """The worker's control block. It is set when the shared memory is attached."""
        self._sentinel = -1
        """A file descriptor that becomes readable when the process exits."""

    # Requests

    def post(self, number: int, command: int, buffer: int) -> None:
        """Write a request into the control block. Call `fence` and `wake_if_asleep` afterwards.

        Args:
            number: the number of the request.
            command: a `Command`.
            buffer: the index of the observation buffer in the ring.
        """
        self._request = number
        words = self._words
        words[COMMAND], words[BUFFER] = command, buffer
        words[REQUEST] = number

    def request(self, what: str, *arguments: Any, deadline: float | None = None) -> None:
        """Send a request as a message. Bytes that cannot be sent by the deadline are sent before the next message.

        Args:
            what: the name of the request, such as "reset".
            *arguments: the arguments of the request.
            deadline: the deadline on the monotonic clock; None to return without waiting for room in the socket's
                buffer.
        """
        number = next(self._request_numbers)
        self.post_message(number, self.request_message(number, what, *arguments), deadline)

    def request_message(self, number: int, what: str, *arguments: Any) -> bytes:
        """Return the message for a request.

        The message includes the previous step if the worker may have missed that step.
        """
        words = self._words
        command = words[COMMAND]
        seen = command == Command.MESSAGE or self.has_answered()
        unseen = None if seen else (self._request, command, words[BUFFER])
        return self._pickled((number, unseen, what, *arguments))

    def post_message(self, number: int, message: bytes, deadline: float | None = None) -> None:
        """Send a request as a message. A message with the number of an earlier request repeats that request."""
        self._request = number
        self._words[COMMAND] = Command.MESSAGE
        self._words[REQUEST] = number
        self._send(message, deadline)

    def _pickled(self, message: Any) -> bytes:
        return dumps(message, self._known_classes)

    def _send(self, data: bytes, deadline: float | None = None) -> None:
        self._transport.send(data, time.monotonic() if deadline is None else deadline, self._sentinel)

    def wake_if_asleep(self) -> None:
        """Wake the worker if it is asleep. Call `fence` first."""
        if self._words[ASLEEP]:
            self._transport.wake()

    # Answers

    def has_answered(self) -> bool:
        """Return whether the worker has answered its latest request."""
        return self._words[ANSWER] == self._request

    def is_stepping(self) -> bool:
        """Return whether the latest request is an unanswered step whose actions are in shared memory."""
        return self._words[COMMAND] == Command.STEP and not self.has_answered()

    def spin(self, spin: SpinWait) -> bool:
        """Wait briefly for the response, without sleeping. Return whether the worker has answered."""
        return spin.wait(self._words, ANSWER, self._request, equal=True)

    def has_message(self) -> bool:
        """Return whether the response comes with a message."""
        return self._words[HAS_MESSAGE] != 0

    def is_current(self, number: int) -> bool:
        """Return whether `number` is the number of the latest request. Responses to earlier requests are dropped."""
        return number == self._request

    def first_message(self) -> Any:
        """Return the next message without removing it. Return None if no message has arrived."""
        data = self._transport.first()
        return None if data is None else unpickle_answer(data, self.indices)

    def drop_message(self) -> None:
        """Remove the message that `first_message` returned."""
        self._transport.next()

    def next_message(self) -> Any:
        """Remove and return the next message. Return None if no message has arrived."""
        data = self._transport.next()
        return None if data is None else unpickle_answer(data, self.indices)

    # Waiting for several workers at once

    def register(self, poll: select.poll) -> int:
        """Register the worker's socket and sentinel with a poll object.

        Return the socket's descriptor, or -1 if it is closed.
        """
        if self._sentinel >= 0:  # the sentinel is -1 if the process could not be started
            poll.register(self._sentinel, select.POLLIN)
        if self._transport.closed:
            return -1
        poll.register(self._transport.fd, select.POLLIN | (select.POLLOUT if self._transport.sending else 0))
        return self._transport.fd

    def is_sending(self) -> bool:
        """Return whether part of a message to the worker has not been sent yet."""
        return self._transport.sending

    def exchange(self) -> bool:
        """Receive and send data without blocking. Return whether the worker has closed its socket."""
        self._transport.receive()
        if self._transport.sending:
            self._transport.flush(time.monotonic(), self._sentinel)
        return self._transport.closed
