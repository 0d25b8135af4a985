"""Measure the CPU time of this process, its workers and Ray's services, as reported by the operating system.

CPU time does not include the work of other processes on the machine, so it is more stable than wall-clock time.
"""

from __future__ import annotations

import os
import time
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

__all__ = ["Seconds", "Stopwatch"]

TICK = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01
SERVICES = ("raylet", "gcs_server", "dashboard", "monitor.py", "DashboardAgent", "RuntimeEnvAgent", "resource_tracker")
"""Parts of command lines that identify processes without environments."""


@dataclass(frozen=True, slots=True)
class Seconds:
    """CPU time in seconds, separately for each kind of process.

    Attributes:
        driver: this process.
        workers: the processes that run environments.
        store: the raylet of the driver's node, which has the object store and the scheduler.
        services: all other descendants: the raylets of other nodes, and Ray's control store and agents.
    """

    driver: float = 0.0
    workers: float = 0.0
    store: float = 0.0
    services: float = 0.0

    @property
    def total(self) -> float:
        """The sum over all kinds of processes."""
        return self.driver + self.workers + self.store + self.services

    def __sub__(self, other: Seconds) -> Seconds:
        return Seconds(*(a - b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def __mul__(self, factor: float) -> Seconds:
        return Seconds(*(a * factor for a in astuple(self)))


class Stopwatch:
    """Measures the CPU time of this process and of its descendants from the creation of the stopwatch.

    Args:
        store: the process ids of the driver's raylet, or None to count all raylets, which is correct if there is only
        one node.
    """

    def __init__(self, store: Collection[int] | None = None) -> None:
        self._store, self._before = store, dict(_processes())

    def elapsed(self) -> Seconds:
        """Return the CPU time since the stopwatch was created, not counting processes that have ended since."""
        found = {"driver": 0.0, "workers": 0.0, "store": 0.0, "services": 0.0}
        for pid, (command, seconds) in _processes():
            _, before = self._before.get(pid, ("", 0.0))
            found[self._kind(pid, command)] += seconds - before
        return Seconds(**found)

    def _kind(self, pid: int, command: str) -> str:
        if pid == os.getpid():
            return "driver"
        if (pid in self._store) if self._store is not None else ("/raylet/raylet " in command):
            return "store"
        return "services" if any(part in command for part in SERVICES) else "workers"


def _processes() -> Iterator[tuple[int, tuple[str, float]]]:
    """Yield the process id, the command line and the CPU time of this process and of each descendant."""
    found: dict[int, tuple[int, float]] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            fields = (place / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        found[int(place.name)] = int(fields[1]), (int(fields[11]) + int(fields[12])) * TICK
    ours = {os.getpid()}
    grown = True
    while grown:
        children = {pid for pid, (parent, _) in found.items() if parent in ours} - ours
        ours |= children
        grown = bool(children)
    for pid in ours & set(found):
        try:
            command = (Path("/proc") / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        yield (
            pid,
            (command, time.process_time() if pid == os.getpid() else found[pid][1]),
        )  # this clock is more precise, but only available for this process
