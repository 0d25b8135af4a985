"""Which cases to measure, for how long, and which are left out because they would take too much."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from gymkernel_tool_bench.records import Alone, Case

if TYPE_CHECKING:
    from gymkernel_tool_bench.targets import Backend

__all__ = ["BUDGET", "NUM_ENVS", "ROUNDS", "cases_of", "seconds_of_a_round", "too_much", "workers_for"]

NUM_ENVS: Final = (1, 8, 64, 256)
"""Numbers of environments, where none are asked for."""
BUDGET: Final = 20.0
"""Seconds for the whole, where the seconds of a case are not asked for."""
ROUNDS: Final = 5
MOST_WORKERS: Final = 64
PATIENCE: Final = 15.0
"""Seconds that a case may take for making its environments and for its turns, where nobody asked for it."""
MEMORY: Final = 2 * 2**30
"""Bytes that a case may hold, where nobody asked for it."""


def workers_for(num_envs: int, alone: Alone | None, cores: int) -> list[int]:
    """Numbers of workers worth trying: up to the cores where steps compute, more where they wait.

    >>> workers_for(64, None, cores=8), workers_for(2, None, cores=8)
    ([1, 4, 8], [1, 2])
    """
    numbers = {1, cores // 2, cores}
    if alone is not None and alone.waits:
        most = min(MOST_WORKERS, num_envs, math.ceil(cores / alone.share))
        numbers = {cores, round(math.sqrt(cores * most)), most}
    return sorted({min(number, num_envs) for number in numbers if number > 0})


def cases_of(
    backends: Iterable[Backend],
    num_envs: Iterable[int],
    workers: Sequence[int] | None,
    alone: Alone | None,
    cores: int,
) -> list[Case]:
    """The cases, by number of environments.

    Args:
        backends: those to measure.
        num_envs: numbers of environments.
        workers: numbers of workers for backends that take one; None for those worth trying here.
        alone: what is known of the environment.
        cores: of this machine.
    """
    cases = []
    for number in sorted(set(num_envs)):
        chosen = workers_for(number, alone, cores) if workers is None else sorted({min(n, number) for n in workers})
        for backend in backends:
            numbers = chosen if backend.takes_workers else [None]
            cases += [Case(backend.name, number, one) for one in numbers]
    return cases


def too_much(case: Case, alone: Alone) -> str:
    """Why a case that nobody asked for is better left out; empty where it is not."""
    making = case.num_envs * alone.construct / (case.workers or 1)
    turns = (ROUNDS + 1) * case.num_envs / alone.steps_per_second / (case.workers or 1)
    ask = f"; --num-envs {case.num_envs} measures it"
    if making > PATIENCE:
        return f"making {case.num_envs} environments would take {making:.0f} s{ask}"
    if turns > PATIENCE:
        return f"{ROUNDS + 1} turns of {case.num_envs} environments would take {turns:.0f} s{ask}"
    if alone.memory_bytes and case.num_envs * alone.memory_bytes > MEMORY:
        return f"{case.num_envs} environments would hold {case.num_envs * alone.memory_bytes / 2**30:.1f} GB{ask}"
    return ""


def seconds_of_a_round(cases: Sequence[Case], alone: Alone | None, seconds: float | None, budget: float) -> float:
    """How long a round of a case takes: `seconds` of a case in rounds, or what the budget leaves for it.

    The plain loop takes part in the rounds of each number of environments, so it gets the same time there.
    """
    if seconds is not None:
        return seconds / ROUNDS
    making = sum(case.num_envs * alone.construct / (case.workers or 1) for case in cases) if alone else 0.0
    runs = len(cases) + len({case.num_envs for case in cases})
    share = max(budget - making, 0.0) / max(runs, 1) / (ROUNDS + 0.5)  # half a round to warm up
    return min(max(share, 0.05), 1.0)
