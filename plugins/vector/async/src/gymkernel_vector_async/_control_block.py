"""The control block: words of shared memory by which a parent and its workers ask, answer and sleep; and `SpinWait`."""

from __future__ import annotations

import os
import threading
import time
from typing import Any, Final

__all__ = ["Command", "SpinWait", "fence"]

BLOCK_SIZE: Final = 16
"""Words of a block; the parent has one, and after it each worker."""
MEASURED_STEPS: Final = 64
"""Steps of which a worker measures how much is waiting."""


PARENT_ASLEEP: Final = 0
"""In the parent's block: whether an answer needs a wake-up."""
REQUEST: Final = 0
"""By the parent: number of the last request; written after what belongs to it."""
COMMAND: Final = 1
"""By the parent: what is asked, a `Command`."""
BUFFER: Final = 2
"""By the parent: the buffer of the ring that results go to."""
ANSWER: Final = 8
"""By the worker, as all that follow, in a cache line of its own: number of the last request that was answered; written
after the results."""
HAS_MESSAGE: Final = 9
"""Whether a message goes with the answer."""
ASLEEP: Final = 10
"""Whether a request needs a wake-up."""
AT_WORK: Final = 11
"""Position of the environment at work; -1 once the worker is closing its environments."""
WALL, CPU, SWITCHES, STEPS = 12, 13, 14, 15
"""`Measurements` of the first steps."""


class Command:
    """What is asked of a worker."""

    STEP = 1
    """Step with the actions in shared memory."""
    MESSAGE = 2
    """Read a message, and do what it says."""
    PARTIAL_STEPS = 3
    """Look for steps of single environments."""


CHECKS: Final = 10
"""Times that a waiting process looks before it yields its processor."""
YIELDS: Final = 5000
"""Times that it yields and looks again before it sleeps: about 3 ms."""
SLOW_YIELD: Final = 1_000_000
"""Nanoseconds after which a yield shows that others use the processors. A worker that shares one with its parent has
steps of some hundred microseconds, for which neither is to sleep."""

_fence = threading.Lock()


def _renew_fence() -> None:
    """Have a lock of one's own in a forked process: another thread may hold the parent's at this moment."""
    global _fence  # noqa: PLW0603 - as above
    _fence = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_fence)


def fence() -> None:
    """Make what was written visible before what is read next: an atomic operation, which no processor reorders."""
    with _fence:  # which releases it, too, where a signal's handler (Ctrl-C) raises in between
        pass


class SpinWait:
    """Waits a short time for a word without sleeping; on a busy machine it gives up at once.

    A process that yields on a busy machine may not be back for milliseconds, while a sleeper is woken at once. So after
    a slow yield, the next waits do not spin.

    Args:
        oversubscribed: whether there are more workers than processors, so that each that spins keeps another waiting.
    """

    def __init__(self, *, oversubscribed: bool) -> None:
        self._oversubscribed, self._skipped = oversubscribed, 0

    def wait(self, words: Any, index: int, value: int, *, equal: bool) -> bool:
        """Whether a word became equal (or, for `equal=False`, unequal) to a value before it is time to sleep."""
        for _ in range(CHECKS):
            if (words[index] == value) is equal:
                return True
        if self._oversubscribed:
            return False
        if self._skipped:
            self._skipped -= 1
            return False
        clock, sched_yield = time.perf_counter_ns, os.sched_yield
        now = clock()
        for _ in range(YIELDS):
            sched_yield()
            found = (words[index] == value) is equal
            before, now = now, clock()
            if now - before > SLOW_YIELD:
                self._skipped = 32
                return found
            if found:
                return True
        return False
