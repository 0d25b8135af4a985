"""Functions that block signals and handle them one by one, so that no descendant can kill the process with a signal."""

from __future__ import annotations

import os
import signal
import time
from typing import Final

__all__ = ["HARMLESS", "hold", "next_held", "release"]

HARMLESS: Final = frozenset({"", "SIGCHLD", "SIGCONT", "SIGWINCH", "SIGURG"})
"""The names of signals that neither end nor stop a process. The empty name means that there was no signal."""
LOOK: Final = 0.01
"""The polling interval in seconds on systems that cannot wait for a signal with a timeout."""


def hold() -> set[signal.Signals]:
    """Block all signals except SIGKILL and SIGSTOP, which cannot be blocked.

    Returns:
        The signals that were blocked before, to be passed to `release`.
    """
    return {*signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())}  # type: ignore[arg-type]


def release(before: set[signal.Signals]) -> None:
    """Undo `hold`: unblock all signals except those that were blocked before.

    Args:
        before: the signals that `hold` returned.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def next_held(seconds: float) -> str:
    """Take the next pending signal and return its name, or "" if no signal arrives in time.

    Args:
        seconds: the maximum number of seconds to wait.
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
    except ValueError:  # a real-time signal, which has no name
        return f"SIGRTMIN+{number - signal.SIGRTMIN}" if os.name == "posix" else str(number)
