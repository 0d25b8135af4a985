"""What is read from the machine: clocks, memory of this process and those it started, cores."""

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
    """Describe this machine; the cores are those that this process may use."""
    return Machine(cores(), platform.python_version(), kernel_version(), f"{platform.system()} {platform.machine()}")


def queued_seconds() -> float:
    """Seconds that this thread has waited for a core, as Linux counts them; 0 elsewhere."""
    try:
        return int((PROC / "self" / "schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


def busy_seconds() -> float | None:
    """Seconds in which the cores of this process computed, for whomever, as Linux counts them; None elsewhere."""
    try:
        own = {f"cpu{core}" for core in os.sched_getaffinity(0)}
        rows = [line.split() for line in (PROC / "stat").read_text().splitlines()]
        ticks = sum(sum(map(int, row[1:4])) + sum(map(int, row[6:9])) for row in rows if row[0] in own)
        return ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError, IndexError):
        return None


def held_bytes() -> int | None:
    """Bytes of memory of this process and its descendants, shared pages counted once; None where it is unknown."""
    if not (PROC / "self" / "smaps_rollup").exists():
        return None
    sizes = [_proportional(pid) for pid in _family(os.getpid())]
    return sum(sizes) if sizes else None


def _proportional(pid: int) -> int:
    """Bytes of a process, a page that several share counted in parts; 0 where it is gone by now."""
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except (OSError, StopIteration, ValueError):
        return 0


def _family(pid: int) -> list[int]:
    """A process and its descendants."""
    children: dict[int, list[int]] = {}
    for status in PROC.glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])  # a name may have any character
        except (OSError, ValueError, IndexError):
            continue
        children.setdefault(parent, []).append(int(status.parent.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


@dataclass(frozen=True, slots=True)
class Meters:
    """The instruments of a measurement; a test puts others in their place.

    Attributes:
        wall: seconds that pass.
        cpu: seconds of computing by this process, with all its threads.
        queued: seconds in which this thread could have run and another program had the core.
        busy: seconds in which the cores of this process computed, for whichever program; None where that is unknown.
        memory: bytes that this process and those it started hold; None where that cannot be known.
        machine: where it runs.
    """

    wall: Callable[[], float] = time.perf_counter
    cpu: Callable[[], float] = time.process_time
    queued: Callable[[], float] = queued_seconds
    busy: Callable[[], float | None] = busy_seconds
    memory: Callable[[], int | None] = held_bytes
    machine: Callable[[], Machine] = here
