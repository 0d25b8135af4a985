"""`DeferredSignals`: Ctrl-C waits while something is taken or given back that would be lost half way."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType
from typing import Any, Final, Self

__all__ = ["DeferredSignals"]

SIGNALS: Final = signal.SIGINT, signal.SIGTERM
"""Those whose handlers raise in many programs. A worker sets both anew: no forked process keeps a handler."""
PATIENCE: Final = 5.0
"""Seconds after which a signal is not deferred any more, because what was begun seems to hang."""


class DeferredSignals:
    """A context in which the handlers of Ctrl-C and SIGTERM do not run; they run when it ends.

    An exception may come out of a handler between any two instructions: after a process was started, and before anybody
    has its number. In the context, nothing comes between. It is for what takes milliseconds; a signal that comes after
    five seconds is handled at once.

    >>> previous = signal.signal(signal.SIGINT, lambda *_: print("the handler runs"))
    >>> with DeferredSignals():
    ...     signal.raise_signal(signal.SIGINT)
    ...     print("the context ends")
    the context ends
    the handler runs
    >>> _ = signal.signal(signal.SIGINT, previous)
    """

    def __init__(self) -> None:
        self._handlers: dict[int, Any] = {}
        self._received: list[tuple[int, FrameType | None]] = []

    def __enter__(self) -> Self:
        self._end = time.monotonic() + PATIENCE
        if threading.current_thread() is threading.main_thread():  # no handler runs in another one
            try:
                for number in SIGNALS:
                    handler = signal.getsignal(number)
                    if callable(handler):
                        self._handlers[number] = handler
                        signal.signal(number, self._note)
            except BaseException:  # Ctrl-C, before it was deferred
                self._restore()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._restore()
        except BaseException:  # a signal that came after those that were deferred
            self._restore()
            raise
        for number, frame in self._received:
            self._handlers[number](number, frame)

    def _restore(self) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if time.monotonic() > self._end:
            self._handlers[number](number, frame)
        else:
            self._received.append((number, frame))
