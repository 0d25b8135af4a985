"""How workers are started: the start method that is asked for, or else the fastest that is safe in this program."""

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
"""Libraries of OpenGL and its kin among those that a process has loaded: what they hold does not survive a fork."""


class Launcher:
    """Starts processes, by one start method.

    Where nobody asked for a method and the program has one thread of Python's, the first process is forked on trial:
    libraries that are made for it (OpenBLAS, under NumPy) end their threads before a fork, and threads that remain are
    those of libraries that are not (OpenMP, under torch and others; OpenGL), whose copies would wait for them for ever.

    Args:
        context: a `multiprocessing` context or its name; None to choose.

    Raises:
        TypeError: something else.
        ValueError: a start method that there is not on this system.
    """

    def __init__(self, context: Any) -> None:
        self.chosen = context is None
        self.method = _asked(context) or ("fork" if _may_fork() else _without_fork())
        self._context: Any = context if hasattr(context, "Process") else None

    def start(self, main: Callable[[Any], None], job: Any, *, name: str, daemon: bool) -> Any:
        """Start a process, which calls `main(job)`.

        Args:
            main: the function that the process runs.
            job: its argument.
            name: of the process, for lists of processes.
            daemon: whether it may have no children, and ends with this process.
        """
        context: Any = self._context or multiprocessing.get_context(self.method)
        process = context.Process(target=main, args=(job,), name=name, daemon=daemon)
        with _no_warning() if self.method == "fork" else hidden_main():
            process.start()
        return process

    def forked_beside_threads(self) -> bool:
        """Whether the process that was just forked must not begin; the next one is started by another method then.

        With a fork that was asked for, there is a warning instead.
        """
        others = thread_count() - 1 if self.method == "fork" else 0
        if not others:
            return False
        if self.chosen:
            self.method = _without_fork()
            return True
        message = (
            f"{others} other threads run, and workers are to be forked: a lock that one of them holds stays locked in "
            "the workers, which may then hang. Pass context='forkserver', or make the environments before the threads"
        )
        logger.warn(message, category=RuntimeWarning, stacklevel=6)
        return False


def _asked(context: Any) -> str:
    """The start method that the caller or the program asks for; none where "fork" is only the system's default."""
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
    return "" if chosen in {None, "fork"} else str(chosen)  # "fork" may have become it by any use of multiprocessing


def _may_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1 and not _has_devices()


def _without_fork() -> str:
    return "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


def _has_devices() -> bool:
    """Whether a library holds what does not survive a fork, threads or none: a graphics card, a display."""
    cuda = getattr(sys.modules.get("torch"), "cuda", None)
    if "jax" in sys.modules or "tensorflow" in sys.modules or (cuda is not None and cuda.is_initialized()):
        return True
    with contextlib.suppress(OSError):
        return _DISPLAY.search(Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")) is not None
    return False


def thread_count() -> int:
    """The threads of this process, those too that Python knows nothing of."""
    try:
        return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - a number is asked for, and often
    except OSError:
        return threading.active_count()


@contextlib.contextmanager
def _no_warning() -> Iterator[None]:
    """Leave out Python's own warning of a fork beside threads, which says less."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield
