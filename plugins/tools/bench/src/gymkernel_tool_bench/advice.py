"""The recommendation: the fewest environments and workers that come near the best, and why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from gymkernel_tool_bench.quantities import duration, number, ratio
from gymkernel_tool_bench.records import Case, Recommendation, Report
from gymkernel_tool_bench.targets import OWN

__all__ = ["recommend"]

NEAR: Final = 0.9
"""Part of the best speed that is as good as the best: rounds differ by that much from run to run."""

CHEAP: Final = 20e-6
"""Seconds of a step below which a process of its own costs more than it wins."""


def recommend(report: Report, code: Callable[[str, int, dict[str, Any]], str]) -> Recommendation | None:
    """What to use, from what was measured; None where nothing was."""
    best = _best(report.measured)
    if best is None:
        return None
    others = _best([case for case in report.measured if case.backend != OWN]) if best.backend == OWN else None
    otherwise = None if others is None else _of(others, report, code, "Where each environment needs wrappers, take")
    return _of(best, report, code, "Take", otherwise)


def _best(cases: list[Case]) -> Case | None:
    """The case with the fewest environments, then workers, among those near the fastest."""
    fastest = max((case.steps_per_second or 0.0 for case in cases), default=0.0)
    near = [case for case in cases if (case.steps_per_second or 0.0) >= NEAR * fastest]
    return min(near, key=lambda case: (case.num_envs, case.workers or 0), default=None)


def _of(
    case: Case,
    report: Report,
    code: Callable[[str, int, dict[str, Any]], str],
    start: str,
    otherwise: Recommendation | None = None,
) -> Recommendation:
    speed = f"{number(case.steps_per_second or 0.0)} steps/s"
    if (against := case.ratio_to_alone) is not None:
        speed += f", {ratio(against)} times as fast as a plain loop"
        speed += ", which makes no batches" if against < 1 else ""
    why = _why(case, report)
    sentence = f"{start} {case.label}: {speed}, because {why}{'' if why.endswith('?') else '.'}"
    shown = code(case.backend, case.num_envs, {} if case.workers is None else {"num_workers": case.workers})
    return Recommendation(case.backend, case.num_envs, case.workers, sentence, shown, otherwise)


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
        part = f"{1 - min(alone.cpu_share, 1):.0%} of a step is waiting"
        return f"{part}, and {case.workers} workers wait at the same time" if case.workers > 1 else part
    part = "" if case.ratio_to_ideal is None else f" at {case.ratio_to_ideal:.0%} of what {cores} cores allow for"
    many = f"{case.workers} workers compute at the same time" if case.workers > 1 else "one worker computes"
    return f"{step} and {many}{part}"


def _why_without_workers(step: str, report: Report, seconds: float) -> str:
    if not any(case.workers for case in report.measured):
        return "nothing else was faster here"
    if seconds < CHEAP:
        return f"{step}, less than handing it to another process"
    return f"workers won nothing here, although {step}: were the cores free?"
