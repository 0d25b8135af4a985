"""Probes that record runs of several episodes and compare how long the episodes last."""

from __future__ import annotations

import contextlib
import copy
import inspect
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import SPACES, read, safely, takes, unreadable
from gymkernel_tool_check.probes.leaks import LeakWatch
from gymkernel_tool_check.probes.space_parts import SpaceWatch, generator_state
from gymkernel_tool_check.probes.trace import Call, Recorder, Trace
from gymkernel_tool_check.subject import Subject

__all__ = ["BEFORE", "IN_EPISODE", "EpisodeLengths", "episode_lengths", "play_on", "rollout", "runs"]

MORE_SEEDS: Final = 4
LEAST: Final = 20
"""The minimum number of steps for a verdict. This many steps are taken even if the run exceeds its time limit."""
EVENTS: Final = 200_000
"""The maximum number of function calls to observe while looking for calls to `reset`."""
BEFORE: Final = "before the first reset"
IN_EPISODE: Final = "after the first step"
"""Phrases for messages that say when attributes were read during a run."""
SHARE: Final = 4
"""All runs with additional seeds together may take at most 1 / `SHARE` of the time limit of the first run."""


@probe(quick=True, typical=True)
def rollout(subject: Subject) -> Trace:
    """Record a run of `steps` steps that starts with a seeded reset. Abandon an episode after half of the steps."""
    recorder = Recorder(subject, subject.env())
    trace = recorder.trace
    _read_attributes(trace, BEFORE)
    trace.spaces = {name: _frozen(read(recorder.env, name)) for name in SPACES}
    watch = SpaceWatch(trace)
    space = read(recorder.env, "action_space")
    before = generator_state(space)
    with _watching_resets(trace):
        least = 0 if subject.is_aside else LEAST
        leak_watch = LeakWatch(recorder)
        play_on(recorder, subject.options.steps, subject.deadline(), least, watch.look)
        if not trace.stopped and subject.time_left > 0:
            watch.look(recorder.reset())
            _read_attributes(trace, "after a reset")
    after = generator_state(space)
    trace.drawn = None not in {before, after} and before != after and read(recorder.env, "action_space") is space
    if not subject.is_aside and not trace.stopped:
        trace.leak = _leak(leak_watch, subject)
    return trace


def _read_attributes(trace: Trace, when: str) -> None:
    """Record the attributes that cannot be read at this point of the run."""
    for name, error in unreadable(trace.env).items():
        trace.unreadable.setdefault(name, (when, error))


def _leak(watch: LeakWatch, subject: Subject) -> float:
    """Return how many bytes each step leaks. The extra steps that this takes are not recorded."""
    trace, deadline = watch.recorder.trace, subject.check_deadline
    calls, size = [*trace.calls], trace.size
    subject.check_deadline = max(deadline, time.perf_counter() + subject.options.timeout)
    try:
        return watch.bytes_per_step()
    except Skip:
        return 0.0
    finally:
        trace.calls[:], trace.size, trace.stopped = calls, size, ""
        subject.check_deadline = deadline


@probe()
def runs(subject: Subject) -> list[Trace]:
    """Return the recorded run, followed by runs of a second environment with a few more seeds."""
    found = [subject.get(rollout)]
    if found[0].stopped or not Recorder(subject, found[0].env).takes["seed"]:
        return found
    env, options = subject.env(), subject.options
    seconds = options.run_seconds / SHARE
    deadline = time.perf_counter() + seconds
    for k in range(1, MORE_SEEDS + 1):
        if time.perf_counter() < deadline and sum(trace.size for trace in found) < options.memory:
            recorder = Recorder(subject, env, options.seed + k)
            share = min(deadline, time.perf_counter() + seconds / MORE_SEEDS)
            play_on(recorder, options.steps, share, abandons=False)  # long enough for long episodes to finish
            found.append(recorder.trace)
    return found


def play_on(
    recorder: Recorder,
    steps: int,
    deadline: float,
    least: int = 0,
    after: Callable[[Call], None] = lambda _: None,
    *,
    abandons: bool = True,
) -> None:
    """Reset with the recorder's seed, and take steps until there are enough or the deadline has passed.

    Args:
        recorder: the recorder to whose trace the calls are added.
        steps: the maximum number of steps.
        deadline: the time after which no more steps are taken, as a value of `time.perf_counter`.
        least: the minimum number of steps, which are taken even after the deadline unless the budget of the check is
            spent.
        after: a function that is called after each call, with its `Call` record.
        abandons: whether to abandon an episode once it is half as long as the run.
    """
    least, subject = min(least, steps), recorder.subject
    trace, longest = recorder.trace, max(1, steps // 2) if abandons else steps
    call = recorder.reset(seed=trace.seed)
    after(call)
    for k in range(steps):
        trace.is_short = k < least and subject.time_left < 0
        is_late = trace.is_short or (k >= least and time.perf_counter() > deadline)
        if trace.stopped or is_late or trace.size > recorder.subject.options.memory:
            break
        if call.ended or call.step >= longest:
            trace.cut = trace.cut if call.ended else longest
            call = recorder.reset()
            after(call)
            if trace.stopped:
                break
        try:
            call = recorder.step()
        except Skip as skip:
            trace.stopped = str(skip)
            break
        after(call)
        if k == 0:
            _read_attributes(trace, IN_EPISODE)


def _frozen(space: Any) -> Any:
    """Return a copy of a space, or None if the copy does not equal the space."""
    copied = safely(copy.deepcopy, space)
    return copied if safely(lambda: bool(copied == space)) else None


@contextlib.contextmanager
def _watching_resets(trace: Trace) -> Iterator[None]:
    """Detect whether the innermost environment calls its own `reset` during a step.

    These calls are detected with a profile function, because a wrapper may have stored the method `reset`, so replacing
    it would not be enough. A profiler that is already active continues to receive its events. If that profiler is
    written in C, this is not possible, so nothing is detected.
    """
    env = read(trace.env, "unwrapped", trace.env)
    code = getattr(inspect.unwrap(type(env).reset), "__code__", None) if hasattr(type(env), "reset") else None
    before, left = sys.getprofile(), EVENTS
    if code is None or (before is not None and not callable(before)):
        yield
        return

    def watch(frame: FrameType, event: Any, argument: Any) -> None:
        nonlocal left
        left -= 1
        if before is not None:
            before(frame, event, argument)
        if event == "call" and frame.f_code is code and trace.stepping is not None:
            caller = frame.f_back
            if caller is not None and caller.f_locals.get("self") is env:
                trace.reset_in, left = trace.stepping, 0
        if left <= 0:
            sys.setprofile(before)

    sys.setprofile(watch)
    try:
        yield
    finally:
        sys.setprofile(before)


LATER = 8
"""If at least this many episodes at the end of a run are short, it is not a coincidence."""


@dataclass(slots=True)
class EpisodeLengths:
    """The lengths of episodes, which show whether episodes become much shorter during a run.

    Attributes:
        before: the lengths of the episodes before the first short one.
        later: the lengths of the short episodes at the end of the run.
        fresh: the lengths of the first episodes of other instances, for comparison.
    """

    before: list[int]
    later: list[int]
    fresh: list[int]

    @property
    def collapse(self) -> bool:
        """Whether all later episodes are shorter than the first episode of every instance."""
        return bool(self.later) and min(self.fresh, default=0) > max(self.later)


@probe()
def episode_lengths(subject: Subject) -> EpisodeLengths:
    """Compare later episodes with the first one. If they are much shorter, run other instances for comparison."""
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
    if not fresh and takes(trace.env, "seed"):  # no other instance can be created, so repeat the first episode
        recorder = Recorder(subject, trace.env, trace.seed)
        if _first_episode(recorder, first) < first:
            fresh = [first]
    return EpisodeLengths(before, later, fresh)


def _lengths(trace: Trace) -> list[int]:
    """Return the lengths of the episodes that ended, or an empty list if the first episode did not end."""
    ends = [call for call in trace.steps if call.ended]
    return [call.step for call in ends] if ends and ends[0].episode == 1 else []


def _first_episode(recorder: Recorder, most: int) -> int:
    recorder.reset(seed=recorder.trace.seed)
    recorder.play(most, one_episode=True)
    return recorder.trace.calls[-1].step
