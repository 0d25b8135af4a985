"""A function that makes the target report a signal before it sends the signal to its parent process."""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import traceback
from collections.abc import Callable
from typing import Any

__all__ = ["announce"]

Frames = tuple[tuple[str, int], ...]


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
