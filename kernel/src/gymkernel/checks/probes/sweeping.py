"""Resetting with many seeds, under a time-out each."""

from __future__ import annotations

import contextlib
import ctypes
import signal
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from gymkernel.checks.compare import snapshot
from gymkernel.checks.definition import Skip
from gymkernel.checks.trace import Player

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel.checks.subject import Subject
    from gymkernel.checks.trace import Call

__all__ = ["Sweep", "TooLong", "sweep", "within"]

SEEDS: Final = {"fast": 20, "default": 300, "thorough": 5000}
SHARE: Final = 6
"""The sweep takes this part of the time that a recorded run may take."""
SLOW: Final = 200
"""A reset hangs that takes so many times as long as the slowest one before it, and some seconds."""
LEAST: Final = 3.0


class TooLong(BaseException):
    """A call took too long; `except Exception` of the environment does not catch it."""


@dataclass(slots=True)
class Sweep:
    """Resets with the seeds 0, 1, 2, ...

    `hung` is the seed of the one that did not return in `patience` seconds, `failed` the call that raised.
    """

    seconds: list[float] = field(default_factory=list)
    hung: int | None = None
    patience: float = 0.0
    failed: tuple[int, Call] | None = None
    resets: list[tuple[int, Any]] = field(default_factory=list)


def sweep(subject: Subject) -> Sweep:
    """Reset one environment with one seed after another."""
    env = subject.env()
    player = Player(subject, env)
    if not player.takes["seed"]:
        message = "reset takes no seed (GK201)"
        raise Skip(message)
    seen, options = Sweep(), subject.options
    deadline = time.perf_counter() + options.budget / SHARE
    for seed in range(SEEDS.get(getattr(options, "profile", "default"), SEEDS["default"])):
        if time.perf_counter() > deadline:
            break
        start = time.perf_counter()
        seen.patience = min(max(LEAST, SLOW * max(seen.seconds, default=0.0)), 0.8 * options.timeout)
        try:
            with within(seen.patience):
                player.trace.seed = seed
                call = player.reset(seed=seed)
        except TooLong:
            seen.hung = seed
            break
        player.trace.calls.clear()
        if call.error is not None:
            seen.failed = seed, call
            break
        seen.seconds.append(time.perf_counter() - start)
        seen.resets.append((seed, snapshot(call.kept)))
    return seen


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `TooLong` inside the block after so many seconds: by a signal, or where there is none, between two lines."""
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        with _by_signal(seconds):
            yield
    else:
        with _by_thread(seconds):
            yield


@contextlib.contextmanager
def _by_signal(seconds: float) -> Iterator[None]:
    def ring(*_: Any) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def _by_thread(seconds: float) -> Iterator[None]:
    target = ctypes.c_ulong(threading.get_ident())

    def ring() -> None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(target, ctypes.py_object(TooLong))

    timer = threading.Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
