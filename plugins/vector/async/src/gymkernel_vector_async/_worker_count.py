"""How many workers: what the arguments and the cores say, and what is recommended by measurements."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gymkernel_util_vector.cores import cores

__all__ = ["Measurements", "recommend_workers", "worker_count"]


@dataclass(frozen=True, slots=True)
class Measurements:
    """What workers measured in their first steps."""

    wall: int = 0
    """Nanoseconds."""
    cpu: int = 0
    """Nanoseconds that the processors computed."""
    switches: int = 0
    """Times that a worker gave its processor away by itself."""
    steps: int = 0
    """Steps of single environments."""

    def __add__(self, other: Measurements) -> Measurements:
        steps, switches = self.steps + other.steps, self.switches + other.switches
        return Measurements(self.wall + other.wall, self.cpu + other.cpu, switches, steps)


def recommend_workers(measured: Measurements, num_envs: int) -> tuple[int, int]:
    """(per cent of a step for which environments wait, number of workers); (0, 0) where one for each core is right.

    >>> recommend_workers(Measurements(10_000_000, 10_000_000, 0, 10), 64)
    (0, 0)
    """
    wall, cpu, switches, steps = measured.wall, measured.cpu, measured.switches, measured.steps
    if not steps or wall < 100_000 * steps or cpu > wall / 2 or switches < steps / 2:
        return 0, 0
    return 100 - 100 * cpu // wall, min(num_envs, math.ceil(cores() * wall / max(cpu, 1)))


def worker_count(num_workers: int | None, max_concurrency: int | None, num_envs: int, *, parent_steps: bool) -> int:
    """The number of processes.

    Args:
        num_workers: that are asked for; None for one each core.
        max_concurrency: environments that may step at a time.
        num_envs: number of environments.
        parent_steps: whether the parent steps some of them.
    """
    if num_workers is None:
        found = max(0 if parent_steps else 1, min(num_envs - parent_steps, cores() - parent_steps))
    else:
        found = min(num_workers, num_envs - parent_steps)
    return found if max_concurrency is None else min(found, max_concurrency - parent_steps)
