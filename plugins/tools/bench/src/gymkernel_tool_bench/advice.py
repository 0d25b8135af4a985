"""The function `recommend`, which chooses the settings to recommend from those that were measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gymkernel_tool_bench.records import Case, Recommendation, Report
from gymkernel_tool_bench.targets import OWN
from gymkernel_util_tools.quantities import duration, number, ratio

__all__ = ["recommend"]

NEAR: Final = 0.9
"""Settings that reach this fraction of the best speed are considered equally fast, because measurements vary."""

AS_FAST: Final = 0.995
"""The lowest speed, relative to the plain loop, at which settings are considered to be as fast as the loop.

The table rounds this ratio to 1.00.
"""

CHEAP: Final = 20e-6
"""The duration of a step, in seconds, below which a worker process costs more time than it saves."""


def recommend(report: Report, code: Callable[[str, int, dict[str, Any]], str]) -> Recommendation | None:
    """Recommend the settings that are nearly the fastest and need the fewest environments and workers.

    Return None if the measurement was interrupted or if no backend was faster than stepping one environment in a plain
    loop.

    Args:
        report: the report of the measurement.
        code: a function that takes a backend's name, the number of environments and the backend's keyword arguments,
            and returns the Python code that creates this vector environment.
    """
    faster = [case for case in report.measured if case.ratio_to_alone is None or case.ratio_to_alone >= AS_FAST]
    best = _best(faster)
    if best is None or report.interrupted:
        return None
    others = _best([case for case in faster if case.backend != OWN]) if best.backend == OWN else None
    otherwise = (
        None if others is None else _recommendation(others, report, code, "If each environment needs wrappers, use")
    )
    return _recommendation(best, report, code, "Use", otherwise)


def _best(cases: list[Case]) -> Case | None:
    """Of the nearly fastest cases, return the one with the fewest environments or, if tied, the fewest workers."""
    fastest = max((case.steps_per_second or 0.0 for case in cases), default=0.0)
    near = [case for case in cases if (case.steps_per_second or 0.0) >= NEAR * fastest]
    return min(near, key=lambda case: (case.num_envs, case.workers or 0), default=None)


def _recommendation(
    case: Case,
    report: Report,
    code: Callable[[str, int, dict[str, Any]], str],
    start: str,
    otherwise: Recommendation | None = None,
) -> Recommendation:
    speed = f"{number(case.steps_per_second or 0.0)} steps/s"
    if (against := case.ratio_to_alone) is not None:
        speed += f", {ratio(against)} times as fast as a plain loop"
    why = _why(case, report)
    sentence = f"{start} {case.label}: {speed}, because {why}{'' if why.endswith('?') else '.'}"
    lines = code(case.backend, case.num_envs, {} if case.workers is None else {"num_workers": case.workers})
    return Recommendation(case.backend, case.num_envs, case.workers, sentence, lines, otherwise)


def _why(case: Case, report: Report) -> str:
    alone, cores = report.alone, report.machine.cores
    if case.backend == OWN:
        return "its own vectorised form steps all environments at once"
    if alone is None:
        return "nothing else was faster here"
    step = f"a step takes {duration(alone.step_median)}"
    if case.workers is None:
        return _why_without_workers(step, report, alone.step_median)
    if alone.waits:
        waiting = f"{1 - min(alone.cpu_share, 1):.0%} of a step is spent waiting"
        return f"{waiting}, and {case.workers} workers wait at the same time" if case.workers > 1 else waiting
    part = (
        "" if case.ratio_to_ideal is None else f", at {case.ratio_to_ideal:.0%} of the speed that {cores} cores allow"
    )
    many = f"{case.workers} workers compute at the same time" if case.workers > 1 else "one worker computes"
    return f"{step} and {many}{part}"


def _why_without_workers(step: str, report: Report, seconds: float) -> str:
    if not any(case.workers for case in report.measured):
        return "nothing else was faster here"
    if seconds < CHEAP:
        return f"{step}, which is less than the time for sending it to another process"
    return f"workers were not faster here, although {step}: were the cores free?"
