"""`Transport`: messages between a parent and one worker over a socket, never waiting longer than a deadline."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import time
from collections import deque

__all__ = ["Transport", "close_after_fork", "remaining"]

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
