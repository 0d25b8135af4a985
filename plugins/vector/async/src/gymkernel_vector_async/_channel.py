"""`Channel`: messages between a parent and one worker over a socket, never waiting longer than a deadline."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import time
from collections import deque

__all__ = ["Channel", "guarded", "remaining"]

_LENGTH = struct.Struct("<Q")
CHUNK = 1 << 20
BELL = _LENGTH.pack(0)
"""A message of no length: it only wakes who sleeps."""

guarded: set[int] = set()
"""Descriptors that a process forked from this one must not keep, or an end of file would not be seen."""


def _forget() -> None:
    for fd in guarded:
        with contextlib.suppress(OSError):
            os.close(fd)
    guarded.clear()


os.register_at_fork(after_in_child=_forget)


def remaining(deadline: float | None) -> float | None:
    """Seconds until a deadline of the monotonic clock, at least 0."""
    return None if deadline is None else max(deadline - time.monotonic(), 0.0)


class Channel:
    """One end: frames of 8 bytes of length and a pickle.

    Args:
        end: a socket; the parent's does not block.
    """

    def __init__(self, end: socket.socket) -> None:
        self.end = end
        self.fd = end.fileno()
        self.closed = False
        """Whether the other side is gone."""
        self._outgoing: tuple[bytes, list[int]] = b"", []
        """What is to be sent, and how much of it was, by each call."""
        self._received = bytearray()
        self._frames: deque[bytes] = deque()

    def bell(self) -> None:
        """Wake the other side; where its inbox is full it is awake."""
        if not self.full:
            with contextlib.suppress(OSError):
                self.end.send(BELL, socket.MSG_DONTWAIT)

    def send(self, data: bytes, deadline: float | None = None, also: int = -1) -> bool:
        """Send one frame, taking in what arrives meanwhile, so that two full sockets never wait for each other.

        Args:
            data: the pickle.
            deadline: of the monotonic clock; what is not sent by then goes before the next frame.
            also: a descriptor that is readable when the other side has ended.

        Returns:
            False where the deadline passed; whether the other side is gone is in `closed`.
        """
        begun, counts = self._outgoing
        self._outgoing = b"".join((begun[sum(counts) :], _LENGTH.pack(len(data)), data)), []
        return self.flush(deadline, also)

    @property
    def full(self) -> bool:
        """Whether something waits to be sent."""
        return bool(self._outgoing[0])

    def flush(self, deadline: float | None = None, also: int = -1) -> bool:
        """Send what waits; arguments and result as of `send`."""
        data, counts = self._outgoing
        view, size = memoryview(data), len(data)
        while sum(counts) < size and not self.closed:
            try:
                # in C from end to end, as in take: nothing is sent that is not counted
                counts.extend(map(self.end.send, (view[sum(counts) :],), (socket.MSG_DONTWAIT,)))
            except BlockingIOError:
                if not self._writable(remaining(deadline), also):
                    return False
            except OSError:
                self.take()  # the last words of the other side
                self.closed = True
        self._outgoing = b"", []
        return True

    def _writable(self, timeout: float | None, also: int) -> bool:
        """Wait until something can be sent, or was taken in, or the other side is gone; False where time is up."""
        poll = select.poll()
        poll.register(self.fd, select.POLLIN | select.POLLOUT)
        if also >= 0:
            poll.register(also, select.POLLIN)
        ready = dict(poll.poll(None if timeout is None else timeout * 1000))
        if ready.get(self.fd, 0) & select.POLLIN:
            self.take()
        self.closed = self.closed or also in ready
        return bool(ready)

    def take(self) -> None:
        """Take in what has arrived, without waiting."""
        received = self._received
        while not self.closed:
            before = len(received)
            try:
                # in C from end to end: the handler of a signal (Ctrl-C) that raises cannot come between, and nothing
                # that was received is lost
                deque(map(received.extend, map(self.end.recv, (CHUNK,), (socket.MSG_DONTWAIT,))), 0)
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
            self.take()
        return self._frames.popleft() if self._frames else None

    def wait(self, timeout: float | None = None) -> None:
        """Sleep until something arrives or the other side is gone."""
        if not self._frames and not self.closed:
            poll = select.poll()
            poll.register(self.fd, select.POLLIN)
            poll.poll(None if timeout is None else timeout * 1000)

    def close(self) -> None:
        """Close this end."""
        guarded.discard(self.fd)
        self.closed = True
        self.end.close()
