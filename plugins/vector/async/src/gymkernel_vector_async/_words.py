"""How a parent and its workers speak through memory: the words that both look at, and how to wait for one."""

from __future__ import annotations

import os
import threading
import time
from typing import Any, Final

__all__ = ["Patience", "fence"]

SPINS = 5000
"""Times that who waits looks again, giving way to others, before it sleeps: about 3 ms."""
GLANCES: Final = 10
"""Times that it looks before."""
SLOW: Final = 1_000_000
"""Nanoseconds after which a turn that was given away shows that others use the processors. A worker that shares one
with its parent has steps of some hundred microseconds, for which neither is to sleep."""

REQUEST, COMMAND, SLOT = 0, 1, 2
"""Words that the parent writes: number of the last request, what it is, and the buffer of the ring for its results."""
ANSWER, MAILED, ASLEEP, AT_WORK, WALL, CPU, NAPS, STEPS = 8, 9, 10, 11, 12, 13, 14, 15
"""Words that the worker writes: number of the last answer, whether a message goes with it, whether it must be woken,
position of the environment at work, and measurements of its first steps."""
WORDS = 16
"""Words of each worker, after one such group that has PARENT_ASLEEP in front."""
PARENT_ASLEEP = 0
STEP, MESSAGE, QUEUE = 1, 2, 3
"""Commands: step with the actions in shared memory; read a message; look for tickets of single environments."""
MEASURED: Final = 64
"""Steps of which a worker measures how much is waiting."""

_fence = threading.Lock()


def _mend() -> None:
    """Have a lock of one's own in a forked process: another thread may hold the parent's in this moment."""
    global _fence  # noqa: PLW0603 - as above
    _fence = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_mend)


def fence() -> None:
    """Make what was written visible before what is read next: an atomic operation, which no processor reorders."""
    with _fence:  # which releases it, too, where a signal's handler (Ctrl-C) raises in between
        pass


class Patience:
    """How long to look again before one sleeps: who gives way on a busy machine may not be back for milliseconds.

    A sleeper is woken at once, so that after a slow turn the next waits sleep without looking for long.

    Args:
        crowded: whether there are more workers than processors, so that each that looks again keeps another waiting.
    """

    def __init__(self, *, crowded: bool) -> None:
        self._crowded, self._short = crowded, 0

    def turned(self, words: Any, place: int, value: int, *, away: bool) -> bool:
        """Look, giving way to others, until a word has some value (`away`: another one); False where it did not."""
        for _ in range(GLANCES):
            if (words[place] == value) is not away:
                return True
        if self._crowded:
            return False
        if self._short:
            self._short -= 1
            return False
        clock, give_way = time.perf_counter_ns, os.sched_yield
        now = clock()
        for _ in range(SPINS):
            give_way()
            if (words[place] == value) is not away:
                self._note(clock() - now)
                return True
            before, now = now, clock()
            if now - before > SLOW:
                self._note(now - before)
                return False
        return False

    def _note(self, turn: int) -> None:
        if turn > SLOW:
            self._short = 32
