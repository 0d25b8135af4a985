"""What the operating system offers to keep a process and its children in hand; where it offers less, less is done."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

__all__ = ["adopt_orphans", "asks_for_a_display", "available_memory", "children", "command_of", "die_with_parent"]
__all__ += ["end_descendants", "has_display", "kill", "kill_group", "resident_memory", "thread_count"]
__all__ += ["wait_for_group"]

SET_PARENT_DEATH_SIGNAL: Final = 1
SET_CHILD_SUBREAPER: Final = 36
NO_SCREEN: Final = re.compile(
    r"display|x11|x server|xlib|glx|egl|opengl|glfw|glew|framebuffer|video (device|system|driver)|osmesa|tkinter|tcl",
    re.IGNORECASE,
)
TRACKER: Final = b"multiprocessing.resource_tracker"
"""A helper process of Python that unlinks the shared memory of its parent when that is gone; it wants a moment."""


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            prctl: Any = ctypes.CDLL(None).prctl
            prctl(option, value, 0, 0, 0)


def die_with_parent() -> None:
    """Let this process be killed when the one that started it ends, however it ends (Linux)."""
    if hasattr(signal, "SIGKILL"):
        _prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def thread_count() -> int:
    """The threads of this process, those too that Python knows nothing of (Linux); 0 where that is not known."""
    with contextlib.suppress(OSError):
        return sum(1 for _ in Path("/proc/self/task").iterdir())
    return 0


def adopt_orphans() -> None:
    """Let this process inherit the processes whose parents end before them, so that it can end them (Linux)."""
    _prctl(SET_CHILD_SUBREAPER, 1)


def kill(pid: int) -> None:
    """Kill a process."""
    if hasattr(signal, "SIGKILL"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def kill_group(pid: int) -> None:
    """Kill a process group."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def wait_for_group(process: subprocess.Popen[bytes], timeout: float = 1.0) -> None:
    """Wait until a process that ended is the last of its group."""
    end = time.monotonic() + timeout
    with contextlib.suppress(subprocess.TimeoutExpired, ProcessLookupError, PermissionError):
        process.wait(timeout=timeout)
        while hasattr(os, "killpg") and time.monotonic() < end:
            os.killpg(process.pid, 0)
            time.sleep(0.01)


def end_descendants(but: Collection[int] = (), timeout: float = 1.0) -> None:
    """Kill every process that this one has as a child or has inherited; what cleans up after them may finish.

    Args:
        but: processes to leave alone.
        timeout: seconds that the helpers which unlink shared memory may take.
    """
    if hasattr(os, "waitpid"):
        _end(set(but), time.monotonic() + timeout)


def _end(but: set[int], end: float) -> None:
    while family := children().difference(but):
        late = time.monotonic() > end
        trackers = {pid for pid in family if TRACKER in command_of(pid)}
        for pid in family if late else family - trackers:
            kill(pid)
        for pid in family:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0 if late or pid not in trackers else os.WNOHANG)
        if family == trackers and not late:
            time.sleep(0.01)


def children() -> set[int]:
    """The children of this process; empty where that cannot be known."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for task in Path("/proc/self/task").iterdir():
            with contextlib.suppress(OSError):  # a thread that has ended
                found.update(map(int, (task / "children").read_text().split()))
    return found


def command_of(pid: int) -> bytes:
    """The command line of a process, its words apart by null bytes; empty where that cannot be known."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def resident_memory(pid: int) -> int:
    """Bytes that a process holds in memory; 0 where that cannot be known."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def asks_for_a_display(text: str) -> str:
    r"""The first line of a text that is about a display, or a library that draws; empty where there is none.

    >>> asks_for_a_display("loading\nGLFWError: X11: The DISPLAY environment variable is missing")
    'GLFWError: X11: The DISPLAY environment variable is missing'
    """
    return next((line.strip() for line in text.splitlines() if NO_SCREEN.search(line)), "")


def has_display() -> bool:
    """Whether windows can be opened, as far as the variables tell."""
    return sys.platform in {"win32", "darwin"} or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def available_memory() -> int:
    """Bytes of memory that this machine has free for programs; 0 where that cannot be known."""
    with contextlib.suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("MemAvailable")).split()[1])
    return 0
