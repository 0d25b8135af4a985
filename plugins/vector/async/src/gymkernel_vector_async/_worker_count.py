"""Functions that determine how many workers to start, or recommend a number based on measurements."""

from __future__ import annotations

import math
from typing import NamedTuple

from gymkernel_util_vector.cores import cores

__all__ = ["Measurements", "recommend_workers", "worker_count"]


class Measurements(NamedTuple):
    """Measurements that one or more workers made during their first steps."""

    wall: int = 0
    """The elapsed time in nanoseconds."""
    cpu: int = 0
    """The CPU time in nanoseconds."""
    switches: int = 0
    """The number of voluntary context switches."""
    steps: int = 0
    """The number of steps, summed over all environments."""


def recommend_workers(measured: Measurements, num_envs: int) -> tuple[int, int]:
    """Recommend how many workers to start for environments that spend part of each step waiting.

    Args:
        measured: the sum of all workers' measurements.
        num_envs: the number of environments.

    Returns:
        The percentage of each step that environments spend waiting, and the recommended number of workers; (0, 0) if
        one worker per core is suitable.

    >>> recommend_workers(Measurements(10_000_000, 10_000_000, 0, 10), 64)
    (0, 0)
    """
    wall, cpu, switches, steps = measured.wall, measured.cpu, measured.switches, measured.steps
    if not steps or wall < 100_000 * steps or cpu > wall / 2 or switches < steps / 2:
        return 0, 0
    return 100 - 100 * cpu // wall, min(num_envs, math.ceil(cores() * wall / max(cpu, 1)))


def worker_count(num_workers: int | None, max_concurrency: int | None, num_envs: int, *, parent_steps: bool) -> int:
    """Return how many worker processes to start.

    Args:
        num_workers: the number that the caller requested; None for one worker per core.
        max_concurrency: the maximum number of environments that are stepped at the same time; None for no limit.
        num_envs: the number of environments.
        parent_steps: whether the parent steps some of the environments.
    """
    if num_workers is None:
        count = max(0 if parent_steps else 1, min(num_envs - parent_steps, cores() - parent_steps))
    else:
        count = min(num_workers, num_envs - parent_steps)
    return count if max_concurrency is None else min(count, max_concurrency - parent_steps)
