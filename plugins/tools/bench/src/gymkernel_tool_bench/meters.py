"""Functions that measure time, memory and how busy the cores are, and describe this machine."""

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
    """Return a description of this machine, which counts only the cores that this process may use."""
    return Machine(cores(), platform.python_version(), kernel_version(), f"{platform.system()} {platform.machine()}")


def queued_seconds() -> float:
    """Return how many seconds this thread has waited for a core. Return 0 on systems other than Linux."""
    try:
        return int((PROC / "self" / "schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def busy_seconds() -> float | None:
    """Return how many seconds this process's cores have been busy with any program. Return None if this is unknown.

    The figure is known only on Linux.
    """
    try:
        own = {f"cpu{core}" for core in os.sched_getaffinity(0)}
        rows = [line.split() for line in (PROC / "stat").read_text().splitlines()]
        ticks = sum(sum(map(int, row[1:4])) + sum(map(int, row[6:9])) for row in rows if row[0] in own)
        return ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError, IndexError):
        return None


def held_bytes() -> int | None:
    """Return how many bytes of memory this process and its descendants use, or None if this is unknown.

    Pages that several processes share are counted only once.
    """
    if not (PROC / "self" / "smaps_rollup").exists():
        return None
    sizes = [_proportional_bytes(pid) for pid in _family(os.getpid())]
    return sum(sizes) if sizes else None


def _proportional_bytes(pid: int) -> int:
    """Return how many bytes of memory a process uses, including its part of the pages that it shares with others.

    Return 0 if the process has exited.
    """
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except (OSError, StopIteration, ValueError):
        return 0


def _family(pid: int) -> list[int]:
    """Return the IDs of a process and all its descendants."""
    children: dict[int, list[int]] = {}
    for process in [path for path in PROC.iterdir() if path.name.isdecimal()]:
        try:
            line = (process / "stat").read_text()
            # The process name is in parentheses and may itself contain a closing parenthesis.
            parent = int(line.rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            continue
        children.setdefault(parent, []).append(int(process.name))
    family = [pid]
    for member in family:
        family += children.get(member, [])
    return family


@dataclass(frozen=True, slots=True)
class Meters:
    """The functions that a measurement uses to read the time and the memory use.

    Tests replace them with simulated ones.

    Attributes:
        wall: returns the wall-clock time in seconds.
        cpu: returns the CPU time of this process in seconds, including all threads.
        queued: returns how long this thread has waited for a core, in seconds.
        busy: returns how long the cores of this process have been busy with any program, in seconds; None if unknown.
        memory: returns how many bytes of memory this process and its descendants use; None if unknown.
        machine: returns a description of the machine.
    """

    wall: Callable[[], float] = time.perf_counter
    cpu: Callable[[], float] = time.process_time
    queued: Callable[[], float] = queued_seconds
    busy: Callable[[], float | None] = busy_seconds
    memory: Callable[[], int | None] = held_bytes
    machine: Callable[[], Machine] = here
