"""What rules about outputs look at: every run there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel_tool_check.definition import Fault, Skip
from gymkernel_tool_check.probes.rollouts import rollout, runs
from gymkernel_tool_check.probes.single_actions import actions
from gymkernel_tool_check.reproduce import replay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gymkernel_tool_check.probes.single_actions import ActionTrials
    from gymkernel_tool_check.subject import Subject
    from gymkernel_tool_check.trace import Call, Trace

__all__ = ["attempts", "every_run", "fault", "good_calls", "stamp"]


def every_run(subject: Subject) -> Iterator[Trace]:
    """The rollout, then runs with more seeds, then episodes with one action all along."""
    yield subject.get(rollout)
    yield from subject.get(runs)[1:]
    tried = attempts(subject)
    yield from (one.trace for one in tried.attempts) if tried is not None else ()


def attempts(subject: Subject) -> ActionTrials | None:
    """Episodes with one action all along; None where they cannot be had."""
    try:
        return subject.get(actions)
    except Skip:
        return None


def good_calls(subject: Subject, method: str = "") -> Iterator[tuple[Trace, Call]]:
    """Every call of every run that returned values in the form that it should."""
    for trace in every_run(subject):
        for call in trace.good:
            if call.well_formed and method in {"", call.method}:
                yield trace, call


def fault(trace: Trace, call: Call, message: str, last: str, method: str = "") -> Fault:
    """A fault that shows in what a call returned."""
    show = f"{replay(trace, call)}\n{last}"
    return Fault(message, method or call.method, show, seed=trace.seed, episode=call.episode, step=call.step)


def stamp(trace: Trace, call: Call) -> str:
    """When a call was, with its seed."""
    return f"{call.when} (seed {trace.seed})"
