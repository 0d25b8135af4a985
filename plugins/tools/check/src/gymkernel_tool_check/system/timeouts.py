"""Waiting for a call to return, and not for ever."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

__all__ = ["Hung", "TooLong", "reset_timeout", "within"]

SLOW: Final = 200
LEAST: Final = 3.0
"""A reset hangs that takes so many times as long as the slowest one before it, and so many seconds."""
PART: Final = 0.8
"""The part of the time-out after which a call is given up, before the process is."""


class TooLong(BaseException):
    """A call took too long; `except Exception` of the environment does not catch it."""


class Hung(TimeoutError):  # noqa: N818 - it says what the call did
    """A call did not return in time."""


def reset_timeout(timeout: float, slowest: float | None) -> float:
    """Seconds to wait for a reset, where the slowest one before took so long."""
    longest = PART * timeout
    return longest if slowest is None else min(max(LEAST, SLOW * slowest), longest)


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `TooLong` inside the block after so many seconds: by a signal, or, without one, between two lines."""
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        with _by_signal(seconds):
            yield
    else:
        with _by_thread(seconds):
            yield


@contextlib.contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise TooLong

    before, start = signal.signal(signal.SIGALRM, ring), time.monotonic()
    outer, _ = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer:  # whoever had set it gets it back
            signal.setitimer(signal.ITIMER_REAL, max(outer - (time.monotonic() - start), 0.001))


@contextlib.contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    target = ctypes.c_ulong(threading.get_ident())

    def ring() -> None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(target, ctypes.py_object(TooLong))

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
