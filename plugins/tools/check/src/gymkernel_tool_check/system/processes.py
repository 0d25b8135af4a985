"""What the operating system offers to keep a process and its children in hand; where it offers less, less is done."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
import time
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

__all__ = ["adopt_orphans", "asks_for_a_display", "available_memory", "children", "command_of", "die_with_parent"]
__all__ += ["end_descendants", "end_group", "end_marked", "has_display", "is_stopped", "kill", "kill_group"]
__all__ += ["reap_trackers", "resident_memory", "thread_count", "wake"]

SET_PARENT_DEATH_SIGNAL: Final = 1
SET_CHILD_SUBREAPER: Final = 36
NO_SCREEN: Final = re.compile(
    r"display|x11|x server|xlib|glx|egl|opengl|glfw|glew|framebuffer|video (device|system|driver)|osmesa|tkinter|tcl",
    re.IGNORECASE,
)
TRACKER: Final = b"multiprocessing.resource_tracker"
"""A helper process of Python that unlinks the shared memory of its parent when that is gone; it wants a moment."""
PATIENCE: Final = 20.0
"""Seconds that it has for that: a machine that does much else may take seconds to start it."""
MOMENT: Final = 1.0
"""Seconds that it has where nobody knows which of the processes it is."""
CONTAINER: Final = Path("/sys/fs/cgroup")
LOOKS: Final = 3
"""Looks without a process that has a mark, after which there is none."""
IS_TOLD: Final = Path("/proc/self/cmdline").exists()
"""Whether this system tells of processes (Linux)."""


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


def wake(pid: int) -> None:
    """Let a process go on that was stopped."""
    if hasattr(signal, "SIGCONT"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGCONT)


def is_stopped(pid: int) -> bool:
    """Return whether a signal has stopped a process (Linux)."""
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in {"T", "t"}
    return False


def kill_group(pid: int) -> None:
    """Kill a process group."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def end_group(group: int, timeout: float = PATIENCE) -> None:
    """Kill a process group; what unlinks shared memory for it may finish.

    Args:
        group: its number; the process that began it has ended, or is not to go on.
        timeout: seconds that may take, on a machine that does much else.
    """
    end = time.monotonic() + (timeout if IS_TOLD else MOMENT)
    while not IS_TOLD and time.monotonic() < end and _has_members(group):
        time.sleep(0.01)
    while members := _members(group):
        trackers = {pid for pid in members if _is_tracker(pid)}
        for pid in members - trackers:
            kill(pid)
        if not trackers or time.monotonic() > end:
            break
        time.sleep(0.01)
    kill_group(group)


def _members(group: int) -> set[int]:
    """The processes of a group; empty where that cannot be known."""
    found: set[int] = set()
    if IS_TOLD:
        for pid in [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]:
            with contextlib.suppress(OSError):  # one that has ended
                found.update({pid} if os.getpgid(pid) == group else ())
    return found


def _has_members(group: int) -> bool:
    with contextlib.suppress(AttributeError, ProcessLookupError, PermissionError):
        os.killpg(group, 0)
        return True
    return False


def _is_tracker(pid: int) -> bool:
    return TRACKER in command_of(pid)


def end_descendants(but: Collection[int] = ()) -> None:
    """Kill every process that this one has as a child or has inherited, but what unlinks their shared memory.

    A process that the kernel does not end in time, or that belongs to another user, is left.

    Args:
        but: processes to leave alone.
    """
    end = time.monotonic() + PATIENCE
    while family := {pid for pid in children().difference(but) if not _is_tracker(pid)}:
        for pid in family:
            kill(pid)
        reaped = [pid for pid in family if _reap(pid)]
        if time.monotonic() > end:
            break
        if not reaped:
            time.sleep(0.002)


def _reap(pid: int) -> bool:
    """Return whether a child has ended, and forget the child if so."""
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return True


def end_marked(mark: str) -> None:
    """Kill every process that was started with a variable in its environment (Linux).

    Args:
        mark: the variable and its value: "NAME=value".
    """
    end, quiet = time.monotonic() + PATIENCE, 0
    while quiet < LOOKS and time.monotonic() < end:
        family = _marked(mark.encode())
        for pid in family:
            kill(pid)
        quiet = 0 if family else quiet + 1  # a process may copy itself and end between the list and a look at it
        time.sleep(0.01)


def _marked(mark: bytes) -> set[int]:
    found: set[int] = set()
    for pid in [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()] if IS_TOLD else ():
        with contextlib.suppress(OSError):  # one that has ended, or belongs to another user
            found.update({pid} if mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0") else ())
    return found - {os.getpid()}


def reap_trackers(but: Collection[int] = (), timeout: float = PATIENCE) -> None:
    """Wait for the helpers that unlink the shared memory of processes which have ended; all others have ended.

    Args:
        but: processes to leave alone.
        timeout: seconds after which they are killed; a machine that does much else takes its time to start one.
    """
    end = time.monotonic() + timeout
    while (trackers := children().difference(but)) and time.monotonic() < end + MOMENT:
        for pid in trackers:
            if time.monotonic() > end:
                kill(pid)
            _reap(pid)
        time.sleep(0.005)


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
    """Return the bytes that a process holds in memory; 0 if the system does not say."""
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
    """Return the bytes of memory that this machine or container has free for programs; 0 if the system does not say."""
    free = [one for one in (_free_in_machine(), _free_in_container()) if one]
    return min(free, default=0)


def _free_in_container() -> int:
    """Bytes that the control group of this process may still take; 0 where there is no limit."""
    with contextlib.suppress(OSError, ValueError):
        most, used = (int((CONTAINER / name).read_text()) for name in ("memory.max", "memory.current"))
        return max(most - used, 1)
    return 0


def _free_in_machine() -> int:
    with contextlib.suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("MemAvailable")).split()[1])
    return 0
