"""Reads the clocks, the memory of this process and its descendants, and the number of cores."""

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
    """Return a description of this machine; its cores are the cores that this process may use."""
    return Machine(cores(), platform.python_version(), kernel_version(), f"{platform.system()} {platform.machine()}")


def queued_seconds() -> float:
    """Return the seconds that this thread has waited for a core, as counted by Linux; 0 on other systems."""
    try:
        return int((PROC / "self" / "schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def busy_seconds() -> float | None:
    """Return the seconds that this process's cores have been busy for any program, as counted by Linux; else None."""
    try:
        own = {f"cpu{core}" for core in os.sched_getaffinity(0)}
        rows = [line.split() for line in (PROC / "stat").read_text().splitlines()]
        ticks = sum(sum(map(int, row[1:4])) + sum(map(int, row[6:9])) for row in rows if row[0] in own)
        return ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError, IndexError):
        return None


def held_bytes() -> int | None:
    """Return the memory in bytes of this process and its descendants, or None if it is unknown.

    Shared pages count once.
    """
    if not (PROC / "self" / "smaps_rollup").exists():
        return None
    sizes = [_proportional_bytes(pid) for pid in _family(os.getpid())]
    return sum(sizes) if sizes else None


def _proportional_bytes(pid: int) -> int:
    """Return the memory of a process in bytes, with shared pages divided among their users; 0 for an ended process."""
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except (OSError, StopIteration, ValueError):
        return 0


def _family(pid: int) -> list[int]:
    """Return the ids of a process and its descendants."""
    children: dict[int, list[int]] = {}
    for status in PROC.glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])  # the name may contain any character
        except (OSError, ValueError, IndexError):
            continue
        children.setdefault(parent, []).append(int(status.parent.name))
    family = [pid]
    for member in family:
        family += children.get(member, [])
    return family


@dataclass(frozen=True, slots=True)
class Meters:
    """The instruments of a measurement; tests replace them.

    Attributes:
        wall: the wall-clock time in seconds.
        cpu: the CPU time of this process in seconds, including all threads.
        queued: the seconds in which this thread could have run but another program had the core.
        busy: the seconds in which the cores of this process were busy for any program; None if unknown.
        memory: the bytes that this process and its descendants hold; None if unknown.
        machine: the description of the machine.
    """

    wall: Callable[[], float] = time.perf_counter
    cpu: Callable[[], float] = time.process_time
    queued: Callable[[], float] = queued_seconds
    busy: Callable[[], float | None] = busy_seconds
    memory: Callable[[], int | None] = held_bytes
    machine: Callable[[], Machine] = here
