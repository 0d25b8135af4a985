"""Functions that choose the cases to measure and the durations of the measurements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from gymkernel_tool_bench.records import Alone, Case

if TYPE_CHECKING:
    from gymkernel_tool_bench.targets import Backend

__all__ = ["BUDGET", "NUM_ENVS", "ROUNDS", "cases_of", "seconds_of_a_round", "too_much", "workers_for"]

NUM_ENVS: Final = (1, 8, 64, 256)
"""The default numbers of environments."""
BUDGET: Final = 20.0
"""The default duration of the whole measurement in seconds."""
ROUNDS: Final = 5
MAX_WORKERS: Final = 64
MAX_SECONDS: Final = 15.0
"""The time limit, in seconds, for creating or stepping the environments of a case that the user did not select."""
MAX_BYTES: Final = 2 * 2**30
"""The memory limit, in bytes, for a case that the user did not select explicitly."""


def workers_for(num_envs: int, alone: Alone | None, cores: int) -> list[int]:
    """Return the numbers of workers that are worth measuring.

    The numbers exceed the number of cores only if the environment spends part of each step waiting.

    Args:
        num_envs: the number of environments.
        alone: the measurement of one environment, or None if there is no such measurement.
        cores: the number of cores.

    >>> workers_for(64, None, cores=8), workers_for(2, None, cores=8)
    ([1, 4, 8], [1, 2])
    """
    numbers = {1, cores // 2, cores}
    if alone is not None and alone.waits:
        most = min(MAX_WORKERS, num_envs, math.ceil(cores / alone.share))
        numbers = {cores, round(math.sqrt(cores * most)), most}
    return sorted({min(number, num_envs) for number in numbers if number > 0})


def cases_of(
    backends: Iterable[Backend],
    num_envs: Iterable[int],
    workers: Sequence[int] | None,
    alone: Alone | None,
    cores: int,
) -> list[Case]:
    """Return the cases to measure, ordered by number of environments.

    Args:
        backends: the backends to measure.
        num_envs: the numbers of environments to measure.
        workers: the numbers of workers for backends that accept `num_workers`; None to use those that `workers_for`
            returns.
        alone: the measurement of one environment, or None if there is no such measurement.
        cores: the number of cores of this machine.
    """
    cases = []
    for number in sorted(set(num_envs)):
        chosen = workers_for(number, alone, cores) if workers is None else sorted({min(n, number) for n in workers})
        for backend in backends:
            worker_counts = chosen if backend.takes_workers else [None]
            cases += [Case(backend.name, number, count) for count in worker_counts]
    return cases


def too_much(case: Case, alone: Alone) -> str:
    """Return the reason why a case should be skipped, or "" if the case should be measured.

    Args:
        case: a case that the user did not select explicitly.
        alone: the measurement of one environment.
    """
    making = case.num_envs * alone.construct / (case.workers or 1)
    turns = (ROUNDS + 1) * case.num_envs / alone.steps_per_second / (case.workers or 1)
    ask = f"; use --num-envs {case.num_envs} to measure it"
    if making > MAX_SECONDS:
        return f"creating {case.num_envs} environments would take {making:.0f} s{ask}"
    if turns > MAX_SECONDS:
        return f"{ROUNDS + 1} turns of {case.num_envs} environments would take {turns:.0f} s{ask}"
    if alone.memory_bytes and case.num_envs * alone.memory_bytes > MAX_BYTES:
        return f"{case.num_envs} environments would use {case.num_envs * alone.memory_bytes / 2**30:.1f} GB{ask}"
    return ""


def seconds_of_a_round(cases: Sequence[Case], alone: Alone | None, seconds: float | None, budget: float) -> float:
    """Return the duration of a round in seconds.

    For each number of environments, the plain loop is measured as well, for the same time as each case.

    Args:
        cases: the cases to measure.
        alone: the measurement of one environment, or None if there is no such measurement.
        seconds: the requested duration of each case, or None to divide the budget.
        budget: the remaining duration of the whole measurement in seconds.
    """
    if seconds is not None:
        return seconds / ROUNDS
    making = sum(case.num_envs * alone.construct / (case.workers or 1) for case in cases) if alone else 0.0
    runs = len(cases) + len({case.num_envs for case in cases})
    share = max(budget - making, 0.0) / max(runs, 1) / (ROUNDS + 0.5)  # the warm-up takes half a round
    return min(max(share, 0.05), 1.0)
