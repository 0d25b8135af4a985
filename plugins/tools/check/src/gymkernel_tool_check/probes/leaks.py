"""A leak so fast that few steps show it, long before there is time for many episodes."""

from __future__ import annotations

import gc
import os
from typing import Final

from gymkernel_tool_check.definition import Fault
from gymkernel_tool_check.probes.trace import Recorder, Trace
from gymkernel_tool_check.system.processes import available_memory, resident_memory

__all__ = ["LeakWatch"]

FAST: Final = 2**20
"""Bytes in a step: what grows more slowly is found by many episodes."""
TOTAL: Final = 2**26
"""Bytes of the whole run: less may be what is loaded on the way."""
KEPT: Final = 0.7
"""The part of that growth which a reset does not free."""
MORE: Final = 4
"""Further steps that show whether the growth goes on."""


class LeakWatch:
    """How much memory a run takes beside what is recorded of it; begins with what is held when it is made.

    Args:
        recorder: plays the run.
    """

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._start = self._resident()

    def _resident(self) -> int:
        return resident_memory(os.getpid()) - self.recorder.trace.size

    def _held(self) -> int:
        gc.collect()
        return self._resident()

    def bytes_per_step(self) -> float:
        """Return the bytes that each step keeps for good; 0 if they are few, a reset frees them, or the growth ends.

        The recorder must have played the run. A few more steps are made if the run has grown.
        """
        trace, steps = self.recorder.trace, len(self.recorder.trace.steps)
        least = max(TOTAL, FAST * steps)
        if not steps or self._resident() - self._start < least or (grown := self._held() - self._start) < least:
            return 0.0
        self.recorder.reset()
        held, rate = self._held(), grown / steps
        if trace.stopped or held - self._start < KEPT * grown:
            return 0.0
        if 0 < available_memory() < 2 * MORE * rate:
            return rate  # to see more would exhaust the machine
        for _ in range(MORE):
            if self.recorder.step().ended or trace.stopped:
                self.recorder.reset()
        return rate if not trace.stopped and self._held() - held > KEPT * MORE * FAST else 0.0


def fast_leak(trace: Trace) -> Fault:
    """The fault (GK951) of steps that keep so much that the recorded run has shown it."""
    message = f"the process grows by {trace.leak / 2**20:.0f} MiB with each step, for {len(trace.steps)} steps, and "
    message += "reset does not free that"
    lines = ["env.reset()", "for _ in range(3):", "    env.step(env.action_space.sample())", "    env.reset()"]
    return Fault(message, "step", "\n".join([*lines, "    print(open('/proc/self/statm').read().split()[1])"]))
