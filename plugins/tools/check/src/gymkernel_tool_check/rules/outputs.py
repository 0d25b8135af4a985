"""Functions that rules about outputs share. They iterate over recorded runs, create faults and find shared memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.definition import Fault, Skip
from gymkernel_tool_check.introspect import is_a
from gymkernel_tool_check.probes.rollouts import rollout, runs
from gymkernel_tool_check.probes.single_actions import ActionTrials, actions
from gymkernel_tool_check.probes.trace import Call, Trace
from gymkernel_tool_check.rules.reproduce import replay
from gymkernel_tool_check.subject import Subject

__all__ = ["attempts", "every_run", "fault", "good_calls", "shared_part", "stamp"]

WORK: Final = 10_000
"""The limit `max_work` for `numpy.shares_memory`, which can be slow for two interleaved arrays."""


def every_run(subject: Subject) -> Iterator[Trace]:
    """Yield the recorded run, then the runs with other seeds, and then the episodes that repeat a single action."""
    yield subject.get(rollout)
    yield from subject.get(runs)[1:]
    tried = attempts(subject)
    yield from (attempt.trace for attempt in tried.attempts) if tried is not None else ()


def attempts(subject: Subject) -> ActionTrials | None:
    """Return the recorded episodes that repeat a single action, or None if there are none."""
    try:
        return subject.get(actions)
    except Skip:
        return None


def good_calls(subject: Subject, method: str = "") -> Iterator[tuple[Trace, Call]]:
    """Yield every call of every run, or every call to one method, that returned values in the expected form."""
    for trace in every_run(subject):
        for call in trace.good:
            if call.well_formed and method in {"", call.method}:
                yield trace, call


def fault(trace: Trace, call: Call, message: str, last: str, method: str = "") -> Fault:
    """Create a fault about a call's result. The line of code `last` shows the fault after the run was repeated."""
    show = f"{replay(trace, call)}\n{last}"
    return Fault(message, method or call.method, show, seed=trace.seed, episode=call.episode, step=call.step)


def stamp(trace: Trace, call: Call) -> str:
    """Describe when a call happened, including the seed of its run."""
    return f"{call.when} (seed {trace.seed})"


def shared_part(a: Any, b: Any, path: str = "") -> tuple[str, bool] | None:
    """Return the path of a writable array that two values share, and whether its contents are the same in both.

    Return None if the values share no memory. The path is empty if the values themselves share memory.

    >>> array = np.arange(4)
    >>> shared_part({"goal": array[:2]}, {"goal": array[1:]}), shared_part(array[::2], array[1::2])
    (("['goal']", False), None)
    """
    if is_a(a, np.ndarray) and is_a(b, np.ndarray):
        shared = a.flags.writeable and b.flags.writeable and _overlap(a, b)
        return (path, np.array_equal(a, b)) if shared else None
    if is_a(a, dict | list) and a is b:
        return path, True
    if is_a(a, dict) and is_a(b, dict):
        parts = [(a[key], b[key], f"{path}[{key!r}]") for key in a if key in b]
    elif is_a(a, tuple | list) and is_a(b, tuple | list):
        parts = [(*pair, f"{path}[{i}]") for i, pair in enumerate(zip(a, b, strict=False))]
    else:
        return None
    return next((found for part in parts if (found := shared_part(*part)) is not None), None)


def _overlap(a: Any, b: Any) -> bool:
    try:
        return bool(np.shares_memory(a, b, max_work=WORK))  # type: ignore[arg-type]  # the stubs list only two values
    except (np.exceptions.TooHardError, RuntimeError):
        return bool(np.may_share_memory(a, b))
