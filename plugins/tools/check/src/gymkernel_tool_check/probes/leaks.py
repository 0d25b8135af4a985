"""Detects a memory leak that is so fast that a few steps show it."""

from __future__ import annotations

import gc
import os
from typing import Final

from gymkernel_tool_check.definition import Fault
from gymkernel_tool_check.probes.trace import Recorder, Trace
from gymkernel_tool_check.system.processes import available_memory, resident_memory

__all__ = ["LeakWatch"]

FAST: Final = 2**20
"""The minimum leak in bytes per step; slower leaks are found by running many episodes."""
TOTAL: Final = 2**26
"""The minimum growth of the whole run in bytes; a smaller growth may be loaded modules."""
KEPT: Final = 0.7
"""The part of the growth that remains after a reset if it is a leak."""
MORE: Final = 4
"""The number of further steps that show whether the growth continues."""


class LeakWatch:
    """Measures the memory that a run takes in addition to its record, starting when the watch is created.

    Args:
        recorder: the recorder of the run.
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
        """Return the bytes that each step keeps, or 0 if they are few, are freed by a reset, or stop growing.

        The recorder must have finished the run. A few more steps are taken if the memory has grown.
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
            return rate  # further steps could exhaust the memory of the machine
        for _ in range(MORE):
            if self.recorder.step().ended or trace.stopped:
                self.recorder.reset()
        return rate if not trace.stopped and self._held() - held > KEPT * MORE * FAST else 0.0


def fast_leak(trace: Trace) -> Fault:
    """Return the fault (GK951) of an environment whose leak the recorded run has shown."""
    message = f"the process grows by {trace.leak / 2**20:.0f} MiB with each step, for {len(trace.steps)} steps, and "
    message += "reset does not free that"
    lines = ["env.reset()", "for _ in range(3):", "    env.step(env.action_space.sample())", "    env.reset()"]
    return Fault(message, "step", "\n".join([*lines, "    print(open('/proc/self/statm').read().split()[1])"]))
