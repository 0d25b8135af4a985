"""Start workers with the requested start method, or with the fastest method that is safe in this program."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from gymkernel import logger
from gymkernel_util_vector.processes.main_module import hidden_main

__all__ = ["Launcher", "thread_count"]

_DISPLAY: Final = re.compile(r"/lib(?:GL|GLX|GLdispatch|OpenGL|EGL|GLESv\w+|OSMesa|vulkan)[.-][^/\n]*$", re.MULTILINE)
"""Matches the loaded libraries of OpenGL and similar interfaces, whose resources do not survive a fork."""


class Launcher:
    """A launcher that starts all of its processes with the same start method.

    If no method was requested and the program has a single Python thread, the launcher tries to fork the first process.
    Libraries that support forking, such as OpenBLAS in NumPy, end their threads beforehand. If other threads remain,
    they belong to libraries that do not support forking, such as OpenMP in torch, or OpenGL. A forked process would
    wait for these threads forever.

    Args:
        context: a `multiprocessing` context or a start method's name; None to choose a method automatically.

    Raises:
        TypeError: if the context is neither a context nor a name.
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
            daemon: whether the process is a daemon, which ends with this process and cannot have child processes.
        """
        context: Any = self._context or multiprocessing.get_context(self.method)
        process = context.Process(target=main, args=(job,), name=name, daemon=daemon)
        with _no_warning() if self.method == "fork" else hidden_main():
            process.start()
        return process

    def forked_beside_threads(self) -> bool:
        """Return whether the forked process has to be discarded, because the program has threads of native libraries.

        The next process is then started with another method. If the caller requested a fork, this method only warns.
        """
        others = max(thread_count() - 1, 0) if self.method == "fork" else 0  # the count may be 0 for a moment
        if not others:
            return False
        if self.chosen:
            self.method = _method_without_fork()
            return True
        message = (
            f"{others} other threads run, and workers are forked: a lock that another thread holds stays locked in the "
            "workers, which may then hang. Pass context='forkserver', or start the threads after the vector environment"
        )
        logger.warn(message, category=RuntimeWarning, stacklevel=6)
        return False


def _requested_method(context: Any) -> str:
    """Return the start method that the caller or the program has requested, ignoring the system default."""
    methods = multiprocessing.get_all_start_methods()
    if isinstance(context, str) and context not in methods:
        raise ValueError(f"Expected context to be one of {', '.join(map(repr, methods))}, or None, got {context!r}")
    if context is not None and not isinstance(context, str) and not hasattr(context, "get_start_method"):
        raise TypeError(
            f"Expected context to be a context of multiprocessing, a start method ({', '.join(map(repr, methods))}) or "
            f"None, got {context!r}"
        )
    if context is not None:
        return context if isinstance(context, str) else str(context.get_start_method())
    chosen = multiprocessing.get_start_method(allow_none=True)
    return "" if chosen in {None, "fork"} else str(chosen)  # any use of multiprocessing sets the default, "fork"


def _may_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1 and not _has_devices()


def _method_without_fork() -> str:
    return "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


def _has_devices() -> bool:
    """Return whether a library holds a device that does not survive a fork, such as a graphics card or a display."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if "jax" in sys.modules or "tensorflow" in sys.modules or (cuda is not None and cuda.is_initialized()):
        return True
    with contextlib.suppress(OSError):
        return _DISPLAY.search(Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")) is not None
    return False


def thread_count() -> int:
    """Return the number of threads of this process, including threads that were not started by Python."""
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - faster than pathlib
    except OSError:
        return threading.active_count()


@contextlib.contextmanager
def _no_warning() -> Iterator[None]:
    """Suppress Python's warning about a fork in a process with threads, which is less precise than our warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
