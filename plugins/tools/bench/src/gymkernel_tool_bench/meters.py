"""Functions that read the clocks, the memory of this process and its descendants, and the number of cores."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gymkernel.plugins import kernel_version
from gymkernel_tool_bench.records import Machine
from gymkernel_util_vector.cores import cores

__all__ = ["Meters", "busy_seconds", "held_bytes", "here", "queued_seconds"]

PROC: Final = Path("/proc")


def here() -> Machine:
    """Return a description of this machine. Only the cores that this process may use are counted."""
    return Machine(cores(), platform.python_version(), kernel_version(), f"{platform.system()} {platform.machine()}")


def queued_seconds() -> float:
    """Return how long this thread has waited for a core, in seconds (Linux); return 0 on other systems."""
    try:
        return int((PROC / "self" / "schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def busy_seconds() -> float | None:
    """Return how long the cores of this process have been busy with any program, in seconds (Linux), or None."""
    try:
        own = {f"cpu{core}" for core in os.sched_getaffinity(0)}
        rows = [line.split() for line in (PROC / "stat").read_text().splitlines()]
        ticks = sum(sum(map(int, row[1:4])) + sum(map(int, row[6:9])) for row in rows if row[0] in own)
        return ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError, IndexError):
        return None


def held_bytes() -> int | None:
    """Return the memory of this process and its descendants in bytes, or None if it is unknown.

    Pages that several processes share are counted only once.
    """
    if not (PROC / "self" / "smaps_rollup").exists():
        return None
    sizes = [_proportional_bytes(pid) for pid in _family(os.getpid())]
    return sum(sizes) if sizes else None


def _proportional_bytes(pid: int) -> int:
    """Return the memory of a process in bytes, with shared pages divided among the processes that share them.

    Return 0 if the process has exited.
    """
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except (OSError, StopIteration, ValueError):
        return 0


def _family(pid: int) -> list[int]:
    """Return the ids of a process and its descendants."""
    children: dict[int, list[int]] = {}
    for process in [path for path in PROC.iterdir() if path.name.isdecimal()]:
        try:
            line = (process / "stat").read_text()
            parent = int(line.rpartition(")")[2].split()[1])  # the process name may contain ")"
        except (OSError, ValueError, IndexError):
            continue
        children.setdefault(parent, []).append(int(process.name))
    family = [pid]
    for member in family:
        family += children.get(member, [])
    return family


@dataclass(frozen=True, slots=True)
class Meters:
    """The functions with which a measurement reads clocks and memory. Tests replace them.

    Attributes:
        wall: returns the wall-clock time in seconds.
        cpu: returns the CPU time of this process in seconds, including all threads.
        queued: returns how long this thread has waited for a core, in seconds.
        busy: returns how long the cores of this process have been busy with any program, in seconds; None if unknown.
        memory: returns the memory of this process and its descendants in bytes; None if unknown.
        machine: returns a description of the machine.
    """

    wall: Callable[[], float] = time.perf_counter
    cpu: Callable[[], float] = time.process_time
    queued: Callable[[], float] = queued_seconds
    busy: Callable[[], float | None] = busy_seconds
    memory: Callable[[], int | None] = held_bytes
    machine: Callable[[], Machine] = here
