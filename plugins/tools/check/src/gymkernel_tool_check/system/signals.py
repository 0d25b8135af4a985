"""Functions that block signals and take them one by one, and `announce`, which reports signals to a parent process."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import time
import traceback
from collections.abc import Callable
from typing import Any, Final

__all__ = ["HARMLESS", "announce", "hold", "next_held", "release"]

Frames = tuple[tuple[str, int], ...]
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


def announce(tell: Callable[[str, Frames], None]) -> None:
    """Replace `os.kill` and `os.killpg` with functions that report a signal to this process's parent before sending it.

    Args:
        tell: a function that is called with the name of the signal and the (file, line) of each stack frame, starting
            with the innermost.
    """
    for name, reaches in (("kill", _reaches_parent), ("killpg", _is_group_of_parent)):
        if hasattr(os, name):
            setattr(os, name, _announcing(getattr(os, name), reaches, tell))


def _announcing(
    send: Callable[..., None], reaches: Callable[[int], bool], tell: Callable[[str, Frames], None]
) -> Callable[..., None]:
    @functools.wraps(send)
    def wrapped(number: Any, sig: Any, /) -> None:
        with contextlib.suppress(TypeError, ValueError, OSError):  # `send` itself rejects invalid arguments
            if sig and reaches(number):
                frames = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_stack()[:-1]]
                tell(signal.Signals(sig).name, tuple(frames[::-1]))
        send(number, sig)

    return wrapped


def _reaches_parent(pid: int) -> bool:
    return pid in {os.getppid(), -1} or (pid < -1 and _is_group_of_parent(-pid))


def _is_group_of_parent(group: int) -> bool:
    return group == os.getpgid(os.getppid()) and group != os.getpgid(0)
