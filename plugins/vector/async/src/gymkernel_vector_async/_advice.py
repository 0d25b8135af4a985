"""How many workers suit environments that wait for something, by what the workers measured in their first steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gymkernel import logger
from gymkernel_vector_async._arguments import cores
from gymkernel_vector_async._words import CPU, NAPS, STEPS, WALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gymkernel_vector_async._pool import Worker

__all__ = ["advise", "suited"]


def suited(workers: Sequence[Worker], envs: int) -> tuple[int, int]:
    """Per cent of a step for which environments wait, and how many workers suit so many of them; (0, 0) for cores."""
    total = {
        word: sum(worker.words[word] * (len(worker.indices) if word == STEPS else 1) for worker in workers)
        for word in (WALL, CPU, NAPS, STEPS)
    }
    steps, wall = total[STEPS], total[WALL]
    if not steps or wall < 100_000 * steps or total[CPU] > wall / 2 or total[NAPS] < steps / 2:
        return 0, 0
    return 100 - 100 * total[CPU] // wall, min(envs, math.ceil(cores() * wall / max(total[CPU], 1)))


def advise(workers: Sequence[Worker], envs: int) -> None:
    """Say which number of workers would be right, where environments wait most of the time."""
    waiting, right = suited(workers, envs)
    if right > 1.5 * len(workers):
        logger.warn(
            f"these environments wait for {waiting} % of a step (for a server?), and {len(workers)} workers step "
            f'{envs} of them: num_workers={right} would be faster; num_workers="auto" measures it',
            stacklevel=4,
        )
