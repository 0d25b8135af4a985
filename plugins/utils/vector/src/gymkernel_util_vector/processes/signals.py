"""The class `DeferredSignals`, which defers Ctrl-C while a resource is being acquired or released."""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType
from typing import Any, Final, Self

__all__ = ["DeferredSignals"]

SIGNALS: Final = signal.SIGINT, signal.SIGTERM
"""The signals to defer. In many programs, their handlers raise exceptions. Forked workers replace both handlers."""
PATIENCE: Final = 5.0
"""The time in seconds after which signals are no longer deferred, because the code inside the context seems to hang."""


class DeferredSignals:
    """A context manager that defers the handlers of Ctrl-C and SIGTERM until the `with` block ends.

    A signal handler can raise an exception between any two instructions, for example after a process has been started
    but before its id is stored. This context manager prevents that. Use it only for code that takes a few milliseconds.
    After five seconds, signals are handled immediately.

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
        if threading.current_thread() is threading.main_thread():  # signal handlers run only in the main thread
            try:
                for number in SIGNALS:
                    handler = signal.getsignal(number)
                    if callable(handler):
                        self._handlers[number] = handler
                        signal.signal(number, self._note)
            except BaseException:  # Ctrl-C was pressed before both signals were deferred
                self._restore()
                raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._restore()
        except BaseException:  # another signal arrived while the handlers were being restored
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
