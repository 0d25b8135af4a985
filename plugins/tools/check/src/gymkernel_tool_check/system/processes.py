"""Functions that control a process and its descendants. Functions marked "(Linux)" do nothing on other systems."""

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
"""Identifies the command line of a helper of `multiprocessing`, which unlinks shared memory after its parent exits."""
PATIENCE: Final = 20.0
"""The maximum time in seconds for unlinking shared memory. On a busy machine, starting the helper process is slow."""
MOMENT: Final = 1.0
"""The maximum time in seconds for unlinking shared memory on systems that cannot identify the helper process."""
CONTAINER: Final = Path("/sys/fs/cgroup")
GONE: Final = {"", "X", "Z"}
"""The states of processes that have exited. Their command lines are empty."""
LOOKS: Final = 3
"""If this many searches in a row find no marked process, no such process is left."""
HAS_PROC: Final = Path("/proc/self/cmdline").exists()
"""Whether this system can list its processes (Linux)."""


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        with contextlib.suppress(OSError, AttributeError):
            prctl: Any = ctypes.CDLL(None).prctl
            prctl(option, value, 0, 0, 0)


def die_with_parent() -> None:
    """Ask the system to kill this process when its parent exits (Linux)."""
    if hasattr(signal, "SIGKILL"):
        _prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)


def thread_count() -> int:
    """Return the number of threads of this process, including native ones (Linux), or 0 if it is unknown."""
    with contextlib.suppress(OSError):
        return sum(1 for _ in Path("/proc/self/task").iterdir())
    return 0


def adopt_orphans() -> None:
    """Make this process the parent of its orphaned descendants, so that it can kill them (Linux)."""
    _prctl(SET_CHILD_SUBREAPER, 1)


def kill(pid: int) -> None:
    """Kill a process, if it exists."""
    _send("SIGKILL", pid)


def wake(pid: int) -> None:
    """Resume a process that a signal has stopped."""
    _send("SIGCONT", pid)


def _send(name: str, pid: int) -> None:
    if hasattr(signal, name):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, getattr(signal, name))


def is_stopped(pid: int) -> bool:
    """Return whether a signal has stopped a process (Linux)."""
    return _state(pid) in {"T", "t"}


def kill_group(pid: int) -> None:
    """Kill a process group, if it exists."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def end_group(group: int) -> None:
    """Kill a process group. Before that, systems that cannot list processes give it time to unlink shared memory.

    Args:
        group: the id of the process group.
    """
    end = time.monotonic() + MOMENT
    while not HAS_PROC and time.monotonic() < end and _has_members(group):
        time.sleep(0.01)
    kill_group(group)


def _has_members(group: int) -> bool:
    with contextlib.suppress(AttributeError, ProcessLookupError, PermissionError):
        os.killpg(group, 0)
        return True
    return False


def _is_tracker(pid: int) -> bool:
    """Return whether a process unlinks shared memory, or may do so because it has no command line yet (Linux)."""
    command = command_of(pid)
    return TRACKER in command or (not command and _state(pid) not in GONE)


def _state(pid: int) -> str:
    """Return the letter for the state of a process (Linux), or "" if the process does not exist."""
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def end_descendants(but: Collection[int] = ()) -> None:
    """Kill all children of this process, including adopted ones, except those that unlink shared memory.

    Processes of other users, and processes that do not exit in time after they were killed, are left running.

    Args:
        but: the ids of processes not to kill.
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
    """Collect the exit status of a child process if it has exited. Return whether the process has exited."""
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    return True


def end_marked(mark: str) -> None:
    """Kill all processes in whose environment a variable has a given value (Linux).

    Args:
        mark: the name and the value of the variable as "NAME=value".
    """
    end, quiet = time.monotonic() + PATIENCE, 0
    while quiet < LOOKS and time.monotonic() < end:
        family = _marked(mark.encode())
        for pid in family:
            kill(pid)
        quiet = 0 if family else quiet + 1  # search again, because a process may fork and exit during a search
        time.sleep(0.01)


def _marked(mark: bytes) -> set[int]:
    found: set[int] = set()
    for pid in [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()] if HAS_PROC else ():
        with contextlib.suppress(OSError):  # the process has exited or is owned by another user
            found.update({pid} if mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0") else ())
    return found - {os.getpid()}


def reap_trackers(but: Collection[int] = ()) -> None:
    """Wait for the processes that unlink shared memory, and kill them if they do not exit in time.

    Call this function when all other children have exited.

    Args:
        but: the ids of processes to ignore.
    """
    end = time.monotonic() + PATIENCE
    while (trackers := children().difference(but)) and time.monotonic() < end + MOMENT:
        for pid in trackers:
            if time.monotonic() > end:
                kill(pid)
            _reap(pid)
        time.sleep(0.005)


def children() -> set[int]:
    """Return the ids of the children of this process, or an empty set if they are unknown."""
    found: set[int] = set()
    with contextlib.suppress(OSError):
        for task in Path("/proc/self/task").iterdir():
            with contextlib.suppress(OSError):  # the thread has exited
                found.update(map(int, (task / "children").read_text().split()))
    return found


def command_of(pid: int) -> bytes:
    """Return a process's command line with null bytes between the arguments, or b"" if it is unknown."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def resident_memory(pid: int) -> int:
    """Return the resident memory of a process in bytes, or 0 if it is unknown."""
    with contextlib.suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def asks_for_a_display(text: str) -> str:
    r"""Return the first line of a text that mentions a display or a graphics library, or "" if there is none.

    >>> asks_for_a_display("loading\nGLFWError: X11: The DISPLAY environment variable is missing")
    'GLFWError: X11: The DISPLAY environment variable is missing'
    """
    return next((line.strip() for line in text.splitlines() if NO_SCREEN.search(line)), "")


def has_display() -> bool:
    """Return whether it is probably possible to open windows, judging by the environment variables."""
    return sys.platform in {"win32", "darwin"} or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def available_memory() -> int:
    """Return the amount of memory available on this machine or in this container in bytes, or 0 if it is unknown."""
    free = [size for size in (_free_in_machine(), _free_in_container()) if size]
    return min(free, default=0)


def _free_in_container() -> int:
    """Return how many bytes this process's control group may still use, or 0 if there is no limit."""
    with contextlib.suppress(OSError, ValueError):
        most, used = (int((CONTAINER / name).read_text()) for name in ("memory.max", "memory.current"))
        return max(most - used, 1)
    return 0


def _free_in_machine() -> int:
    with contextlib.suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("MemAvailable")).split()[1])
    return 0
