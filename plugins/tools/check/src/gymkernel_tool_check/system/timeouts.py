"""Functions that limit the duration of calls that may not return."""

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
"""A reset has hung if it takes at least `LEAST` seconds and `SLOW` times as long as the slowest earlier reset."""
PART: Final = 0.8
"""The fraction of the time limit after which a call is interrupted. After the full limit, its process is killed."""


class TooLong(BaseException):
    """Raised inside a call that takes too long.

    The class derives from BaseException so that `except Exception` in the environment does not catch it.
    """


class Hung(TimeoutError):  # noqa: N818 - the name describes what the call did
    """The error that is recorded if a call does not return in time."""


def reset_timeout(timeout: float, slowest: float | None) -> float:
    """Return the time limit for a reset in seconds, given the duration of the slowest earlier reset."""
    longest = PART * timeout
    return longest if slowest is None else min(max(LEAST, SLOW * slowest), longest)


def within(seconds: float) -> contextlib.AbstractContextManager[None]:
    """Raise `TooLong` inside the block when the given number of seconds has passed.

    A signal interrupts the main thread. Other threads are interrupted when they next execute Python code.
    """
    is_main = threading.current_thread() is threading.main_thread()
    return _by_signal(seconds) if is_main and hasattr(signal, "setitimer") else _by_thread(seconds)


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
        if outer:  # restart the outer timer
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
