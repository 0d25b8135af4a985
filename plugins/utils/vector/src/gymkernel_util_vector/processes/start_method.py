"""The class `Launcher`, which starts workers with the requested start method or the fastest safe method."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from gymkernel import logger
from gymkernel_util_vector.processes.main_module import hidden_main

__all__ = ["Launcher", "thread_count"]

_DISPLAY: Final = re.compile(r"/lib(?:GL|GLX|GLdispatch|OpenGL|EGL|GLESv\w+|OSMesa|vulkan)[.-][^/\n]*$", re.MULTILINE)
"""A pattern that matches loaded libraries such as OpenGL, whose resources cannot be used after a fork."""


class Launcher:
    """A launcher that starts worker processes, all with the same start method.

    If no start method was requested and the program has a single Python thread, the launcher tries to fork the first
    process. Libraries that support forking, such as OpenBLAS in NumPy, end their threads before a fork. If other
    threads remain, they belong to libraries that do not support forking, such as OpenGL, or OpenMP in torch. A forked
    process would wait for these threads forever.

    Args:
        context: a `multiprocessing` context or the name of a start method. If None, a method is chosen automatically.

    Raises:
        TypeError: if `context` has the wrong type.
        ValueError: if the start method is not available on this system.
    """

    def __init__(self, context: Any) -> None:
        self.chosen = context is None
        self.method = _requested_method(context) or ("fork" if _may_fork() else _method_without_fork())
        self._context: Any = context if hasattr(context, "Process") else None

    def start(self, main: Callable[[Any], None], job: Any, *, name: str, daemon: bool) -> Any:
        """Start a process that calls `main(job)`.

        Args:
            main: the function that the process runs.
            job: the argument of the function.
            name: the name of the process in process lists.
            daemon: whether the process is a daemon. Daemons are stopped when this process exits, and cannot have child
                processes.
        """
        context: Any = self._context or multiprocessing.get_context(self.method)
        process = context.Process(target=main, args=(job,), name=name, daemon=daemon)
        # Python's warning about forking a process with threads is less precise than gymkernel's.
        no_warning = warnings.catch_warnings(action="ignore", category=DeprecationWarning)
        with no_warning if self.method == "fork" else hidden_main():
            process.start()
        return process

    def forked_beside_threads(self) -> bool:
        """Return whether the forked process must be discarded, because native libraries have threads in this program.

        If so, the next process is started with another method. If a fork was requested explicitly, this method only
        logs a warning.
        """
        # The thread count may briefly be 0.
        others = max(thread_count() - 1, 0) if self.method == "fork" else 0
        if not others:
            return False
        if self.chosen:
            self.method = _method_without_fork()
            return True
        message = (
            f"{others} other threads are running, and workers are forked. A lock that another thread holds stays "
            "locked in the workers, which may then hang. Pass context='forkserver', or start the threads "
            "after the vector environment"
        )
        logger.warn(message, category=RuntimeWarning, stacklevel=6)
        return False


def _requested_method(context: Any) -> str:
    """Return the start method that the caller or the program has requested, or "" for the system's default."""
    methods = multiprocessing.get_all_start_methods()
    if isinstance(context, str) and context not in methods:
        raise ValueError(f"Expected context to be one of {', '.join(map(repr, methods))}, or None, got {context!r}")
    if context is not None and not isinstance(context, str) and not hasattr(context, "get_start_method"):
        raise TypeError(
            f"Expected context to be a multiprocessing context, a start method ({', '.join(map(repr, methods))}) or "
            f"None, got {context!r}"
        )
    if context is not None:
        return context if isinstance(context, str) else str(context.get_start_method())
    chosen = multiprocessing.get_start_method(allow_none=True)
    return "" if chosen in {None, "fork"} else str(chosen)  # any use of multiprocessing sets "fork" as the default


def _may_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1 and not _has_devices()


def _method_without_fork() -> str:
    return "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


def _has_devices() -> bool:
    """Return whether a library uses a device that does not work after a fork, such as a graphics card or a display."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if "jax" in sys.modules or "tensorflow" in sys.modules or (cuda is not None and cuda.is_initialized()):
        return True
    with contextlib.suppress(OSError):
        return _DISPLAY.search(Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")) is not None
    return False


def thread_count() -> int:
    """Return the number of threads in this process, including threads that Python did not start."""
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - pathlib is slower
    except OSError:
        return threading.active_count()
