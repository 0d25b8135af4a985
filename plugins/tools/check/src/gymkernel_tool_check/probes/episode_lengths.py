"""How long the first episode of an instance lasts, and how long the others."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import takes
from gymkernel_tool_check.probes.rollouts import rollout
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.trace import Recorder, Trace

__all__ = ["EpisodeLengths", "episode_lengths"]

LATER = 8
"""Later episodes that there must be, at least, to say anything."""


@dataclass(slots=True)
class EpisodeLengths:
    """Lengths of the episodes before a collapse, of those after it, and of first episodes of other instances."""

    before: list[int]
    later: list[int]
    fresh: list[int]

    @property
    def collapse(self) -> bool:
        """Whether later episodes are short as no first one is."""
        return bool(self.later) and min(self.fresh, default=0) > max(self.later)


@probe()
def episode_lengths(subject: Subject) -> EpisodeLengths:
    """Where later episodes are much shorter than the first, see how long those of other instances are."""
    trace = subject.get(rollout)
    lengths = _lengths(trace)
    first = lengths[0] if lengths else 0
    short = max(1, first // 3)
    begin = next((i for i in range(len(lengths)) if max(lengths[i:]) <= short), len(lengths))
    before, later = lengths[:begin], lengths[begin:]
    if first < 3 or len(later) < LATER:
        return EpisodeLengths(before, later, [])
    fresh = []
    for k in (1, 2, 3):
        with contextlib.suppress(Skip):
            recorder = Recorder(subject, subject.env(second=True), trace.seed + k)
            fresh.append(_first_episode(recorder, first))
    if not fresh and takes(trace.env, "seed"):  # the one instance that there is, from the start that took so long
        recorder = Recorder(subject, trace.env, trace.seed)
        if _first_episode(recorder, first) < first:
            fresh = [first]
    return EpisodeLengths(before, later, fresh)


def _lengths(trace: Trace) -> list[int]:
    """The lengths of the episodes that ended; nothing where the first did not."""
    ends = [call for call in trace.steps if call.ended]
    return [call.step for call in ends] if ends and ends[0].episode == 1 else []


def _first_episode(recorder: Recorder, most: int) -> int:
    call = recorder.reset(seed=recorder.trace.seed)
    while not call.ended and not recorder.trace.stopped and call.step < most:
        call = recorder.step()
    return call.step
