"""The function `cores`, which counts the processors that this process may use."""

from __future__ import annotations

import math
import os
from pathlib import Path

__all__ = ["cores"]

QUOTA = Path("/sys/fs/cgroup/cpu.max")


def cores() -> int:
    """Return the number of processors that this process may use, as limited by its CPU affinity and control group."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = QUOTA.read_text(encoding="ascii").split()
        return min(count, max(1, math.ceil(int(quota) / int(period))))
    except (OSError, ValueError):
        # The system is not Linux, there is no container, or the container has no limit ("max").
        return count
