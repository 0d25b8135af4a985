"""A probe that detects whether an environment clips actions to a range that is narrower than the action space."""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import read
from gymkernel_tool_check.probes.nondeterminism import repeats
from gymkernel_tool_check.probes.repetition import repeat_calls
from gymkernel_tool_check.probes.rollouts import rollout
from gymkernel_tool_check.probes.trace import Call
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference

__all__ = ["Clipping", "action_clipping"]

ELEMENTS: Final = 4
PREFIXES: Final = (0, 2, 5)
"""The numbers of steps to take before the step that is compared. A real limit is the same in every state."""
WIDE: Final = 0.9
"""A limit beyond this fraction of the range counts as the bound itself, because it may be due to rounding."""
AFTER: Final = 2


@dataclass(slots=True)
class Clipping:
    """An element of the action that the environment clips.

    Attributes:
        index: the index of the element in the action.
        limit: the value beyond which the effect of the element no longer changes.
        bound: the bound of the action space on the same side as the limit.
    """

    index: tuple[int, ...]
    limit: float
    bound: float


@probe()
def action_clipping(subject: Subject) -> list[Clipping]:
    """Find clipped elements among the first elements of the action, if the action space is a Box with finite bounds."""
    env = subject.env()
    space = read(env, "action_space", None)
    low, high = getattr(space, "low", None), getattr(space, "high", None)
    if not isinstance(low, np.ndarray) or not isinstance(high, np.ndarray) or low.dtype.kind != "f":
        return []
    if not repeats(subject):
        raise Skip("runs with the same seed and actions differ (GK501)")
    first = subject.get(rollout)
    steps = [call for call in first.good if call.episode == 1]
    if len(steps) < 2 or steps[1].mask is not None:
        return []
    trial = _Trial(subject, steps, env, time.perf_counter() + subject.options.run_seconds / 6)
    found = []
    for index in itertools.islice(np.ndindex(low.shape), ELEMENTS):
        if np.isfinite(low[index]) and np.isfinite(high[index]) and low[index] < high[index]:
            found += trial.limits(index, float(low[index]), float(high[index]))
    return found


class _Trial:
    """An experiment that repeats a run and changes one element of an action.

    Args:
        subject: the target to examine.
        calls: the recorded calls of the run that is repeated.
        env: the environment to step.
        deadline: the time at which the search stops, as a value of `time.perf_counter`.
    """

    def __init__(self, subject: Subject, calls: list[Call], env: Any, deadline: float) -> None:
        self.subject, self.calls, self.env, self.deadline = subject, calls, env, deadline

    def limits(self, index: tuple[int, ...], low: float, high: float) -> list[Clipping]:
        middle = (low + high) / 2
        found = []
        for end in (high, low):
            limits = []
            for prefix in PREFIXES:
                limit = self._limit(index, middle, end, prefix)
                if limit is None:
                    break
                limits.append(limit)
            if len(limits) == len(PREFIXES) and max(limits) - min(limits) <= 0.02:
                found.append(Clipping(index, middle + limits[0] * (end - middle), end))
        return found

    def _limit(self, index: tuple[int, ...], middle: float, end: float, prefix: int) -> float | None:
        """Return the fraction of the range beyond which larger values of an element have no further effect.

        Return None if there is no such limit.
        """
        if prefix + 1 + AFTER >= len(self.calls) or time.perf_counter() > self.deadline:
            return None
        top = self._effect(index, end, prefix)

        def at(part: float) -> Any:
            return self._effect(index, middle + part * (end - middle), prefix)

        if difference(top, at(WIDE)) is not None:
            return None
        flat, rising = WIDE, 0.0
        while flat - rising > 0.005:
            part = (flat + rising) / 2
            if difference(top, at(part)) is None:
                flat = part
            else:
                rising = part
        samples = [at(flat * part) for part in (0.2, 0.4, 0.6, 0.8)]
        distinct = all(difference(a, b) is not None for a, b in itertools.combinations(samples, 2))
        return flat if distinct and flat > 0.02 else None

    def _effect(self, index: tuple[int, ...], value: float, prefix: int) -> Any:
        """Set the element to a value in one step, and return the results of this step and the steps that follow."""
        calls = self.calls[: prefix + 2 + AFTER]
        action = np.array(calls[prefix + 1].action_kept)
        action[index] = value
        calls[prefix + 1] = replace(calls[prefix + 1], action_kept=action)
        played = repeat_calls(self.subject, self.env, calls)
        return [(call.kept, call.reward, call.terminated) for call in played[prefix + 1 :]]
