"""Signals that a process keeps waiting and takes one by one, so that no program beneath the process can end it."""

from __future__ import annotations

import os
import signal
import time
from typing import Final

__all__ = ["HARMLESS", "hold", "next_held", "release"]

HARMLESS: Final = frozenset({"", "SIGCHLD", "SIGCONT", "SIGWINCH", "SIGURG"})
"""Signals that end and stop nothing, and the empty name of no signal."""
LOOK: Final = 0.01
"""Seconds between two looks where the system cannot wait for a signal with a limit."""


def hold() -> set[signal.Signals]:
    """Keep every signal waiting that the system lets a process keep waiting: all but SIGKILL and SIGSTOP.

    Returns:
        The signals that were kept waiting before, for `release`.
    """
    return {*signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())}  # type: ignore[arg-type]


def release(before: set[signal.Signals]) -> None:
    """Keep only those signals waiting that waited before `hold`.

    Args:
        before: what `hold` returned.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def next_held(seconds: float) -> str:
    """Take the next signal that waits, and return the name of that signal; empty where none comes in time.

    Args:
        seconds: how long to wait for a signal.
    """
    if hasattr(signal, "sigtimedwait"):
        info = signal.sigtimedwait(signal.valid_signals(), seconds)
        return "" if info is None else _name(info.si_signo)
    end = time.monotonic() + min(seconds, LOOK)
    while not (waiting := signal.sigpending()) and time.monotonic() < end:
        time.sleep(LOOK)
    return _name(signal.sigwait(waiting)) if waiting else ""


def _name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return f"SIGRTMIN+{number - signal.SIGRTMIN}" if os.name == "posix" else str(number)
