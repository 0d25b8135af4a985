"""`LeakWatch`, which detects memory leaks that are large enough to be measured over a few steps."""

from __future__ import annotations

import gc
import os
from typing import Final

from gymkernel_tool_check.definition import Fault
from gymkernel_tool_check.probes.trace import Recorder, Trace
from gymkernel_tool_check.system.processes import available_memory, resident_memory

__all__ = ["LeakWatch"]

FAST: Final = 2**20
"""The minimum leak per step in bytes. Slower leaks are found by running many episodes."""
TOTAL: Final = 2**26
"""The minimum growth over the whole run in bytes. Importing modules may cause smaller growth."""
KEPT: Final = 0.7
"""The minimum fraction of the growth that must remain after a reset for it to count as a leak."""
MORE: Final = 4
"""The number of extra steps to take to find out whether the growth continues."""


class LeakWatch:
    """An object that measures, from its creation on, the memory that a run uses apart from the recorded calls.

    Args:
        recorder: the recorder that records the run.
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
        """Return how many bytes each step leaks, or 0 if the growth is small, stops, or disappears after a reset.

        Call this method after the run. If the memory has grown, the method takes a few more steps.
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
    """Return a fault (GK951) about a leak that was measured during the recorded run."""
    message = f"the process grows by {trace.leak / 2**20:.0f} MiB with each step, for {len(trace.steps)} steps, and "
    message += "reset does not free that"
    lines = ["env.reset()", "for _ in range(3):", "    env.step(env.action_space.sample())", "    env.reset()"]
    return Fault(message, "step", "\n".join([*lines, "    print(open('/proc/self/statm').read().split()[1])"]))
