"""Running episodes, and how long they last."""

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

from gymkernel_tool_check.attributes import SPACES, unreadable
from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import read, takes
from gymkernel_tool_check.probes.leaks import LeakWatch
from gymkernel_tool_check.probes.space_watch import SpaceWatch, generator_state
from gymkernel_tool_check.probes.trace import Call, Recorder, Trace
from gymkernel_tool_check.subject import Subject

__all__ = ["BEFORE", "IN_EPISODE", "EpisodeLengths", "episode_lengths", "play_on", "rollout", "runs"]

MORE_SEEDS: Final = 4
LEAST: Final = 20
"""Steps that a run has, if need be for longer than it may take, so that a verdict can be founded on it."""
EVENTS: Final = 200_000
"""Calls of functions that are watched."""
BEFORE: Final = "before the first reset"
IN_EPISODE: Final = "after the first step"
"""When attributes are read."""
SHARE: Final = 4
"""The runs with more seeds take together this part of the time that the first one may take."""


@probe(quick=True, typical=True)
def rollout(subject: Subject) -> Trace:
    """Episodes up to `steps` steps in all, the first one seeded; an episode that takes half of them is given up."""
    recorder = Recorder(subject, subject.env())
    trace = recorder.trace
    _read_attributes(trace, BEFORE)
    trace.spaces = {name: _frozen(read(recorder.env, name)) for name in SPACES}
    watch = SpaceWatch(trace)
    with _watching_resets(trace), _watching_draws(trace):
        least = 0 if subject.is_aside else LEAST
        leak_watch = LeakWatch(recorder)
        play_on(recorder, subject.options.steps, subject.deadline(), least, watch.look)
        if not trace.stopped and subject.time_left > 0:
            watch.look(recorder.reset())
            _read_attributes(trace, "after a reset")
    if not subject.is_aside and not trace.stopped:
        trace.leak = _leak(leak_watch, subject)
    return trace


def _read_attributes(trace: Trace, when: str) -> None:
    """Note the attributes that cannot be read now."""
    for name, error in unreadable(trace.env).items():
        trace.unreadable.setdefault(name, (when, error))


def _leak(watch: LeakWatch, subject: Subject) -> float:
    """Return the bytes that each step keeps for good, of steps that are not recorded."""
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
    """The rollout, and runs with a few more seeds, one after another in one other environment."""
    found = [subject.get(rollout)]
    if found[0].stopped or not Recorder(subject, found[0].env).takes["seed"]:
        return found
    env, options = subject.env(), subject.options
    seconds = options.run_seconds / SHARE
    deadline = time.perf_counter() + seconds
    for k in range(1, MORE_SEEDS + 1):
        if time.perf_counter() < deadline and sum(trace.size for trace in found) < options.memory:
            recorder = Recorder(subject, env, options.seed + k)
            play_on(recorder, options.steps, min(deadline, time.perf_counter() + seconds / MORE_SEEDS))
            found.append(recorder.trace)
    return found


def play_on(
    recorder: Recorder,
    steps: int,
    deadline: float,
    least: int = 0,
    after: Callable[[Call], None] = lambda _: None,
) -> None:
    """Reset with the player's seed, and act until there have been so many steps, or it is too late.

    Args:
        recorder: plays, and has the trace.
        steps: how many steps there are at most.
        deadline: by `time.perf_counter`, when no further step is taken.
        least: how many steps there are although it is too late, unless the budget of the check is spent.
        after: called with each call that has returned.
    """
    least, subject = min(least, steps), recorder.subject
    trace, half = recorder.trace, max(1, steps // 2)
    call = recorder.reset(seed=trace.seed)
    after(call)
    for k in range(steps):
        trace.is_short = k < least and subject.time_left < 0
        is_late = trace.is_short or (k >= least and time.perf_counter() > deadline)
        if trace.stopped or is_late or trace.size > recorder.subject.options.memory:
            break
        if call.ended or call.step >= half:
            trace.cut = trace.cut if call.ended else half
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
    """A copy of a space that equals it, None where copies of this space never do."""
    try:
        copied = copy.deepcopy(space)
        return copied if bool(copied == space) else None
    except Exception:  # noqa: BLE001 - a space of somebody else
        return None


@contextlib.contextmanager
def _watching_resets(trace: Trace) -> Iterator[None]:
    """Notice where the innermost environment calls its own `reset` while it steps, without a change to it.

    Wrappers remember the methods that they call: one that was exchanged would stay. Whoever profiles the program goes
    on seeing it; where that is a profiler in C, which cannot be passed on to, nothing is noticed.
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


@contextlib.contextmanager
def _watching_draws(trace: Trace) -> Iterator[None]:
    """Notice whether the generator of the action space goes on."""
    space = read(trace.env, "action_space", None)
    before = generator_state(space)
    yield
    after = generator_state(read(trace.env, "action_space", None))
    trace.drawn = None not in {before, after} and before != after and read(trace.env, "action_space", None) is space


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
    recorder.reset(seed=recorder.trace.seed)
    recorder.play(most, one_episode=True)
    return recorder.trace.calls[-1].step
