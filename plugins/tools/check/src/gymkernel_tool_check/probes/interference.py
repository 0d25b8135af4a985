"""A probe that uses several instances in one process and detects whether they influence each other."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import read
from gymkernel_tool_check.probes.shared_data import GENERATORS, SharedData, generators, state_of
from gymkernel_tool_check.probes.trace import Call, Mismatch, Recorder, first_mismatch, is_space
from gymkernel_tool_check.subject import Subject

__all__ = ["Interference", "interference"]

STEPS = 60
AGAIN = 3


@dataclass(slots=True)
class Interference:
    """A record of how instances of an environment influence each other, and of what they share.

    Attributes:
        influence: the first difference in an instance's results that another instance caused, or None if there is none.
        meanwhile: whether the difference occurs when both instances are used alternately. Otherwise, it occurs when the
            other instance was used first.
        data: the names of the class and module attributes that change during a run.
        generators: the names of the random number generators that two instances share and that advance when one of the
            instances is used.
        spaces: the names of the spaces that are the same object in two instances.
    """

    influence: Mismatch | None = None
    meanwhile: bool = False
    data: list[str] = field(default_factory=list)
    generators: list[str] = field(default_factory=list)
    spaces: list[str] = field(default_factory=list)


@probe()
def interference(subject: Subject) -> Interference:
    """Run one instance alone, then a second instance, and then two instances alternately.

    All runs use the same seed and actions, so they should give the same results.
    """
    seen = Interference()
    first = _player(subject)
    second = _player(subject)
    for name in ("observation_space", "action_space"):
        space = read(first.env, name, None)
        if is_space(space) and space is read(second.env, name, None):
            seen.spaces.append(name)
    data = SharedData(first.env)
    alone = _run(first)
    seen.data = data.changed()
    if not first.takes["seed"] or subject.nondeterministic or not alone:
        return seen  # the differences may have another cause
    mismatch = _repeat(alone, second)
    if mismatch is not None:
        data.restore()
        if _agree(subject, data, alone):
            seen.influence = mismatch
        return seen
    one, other = _player(subject), _player(subject, subject.options.seed + 1)
    mismatch = _repeat(alone, one, other)
    if mismatch is not None and _agree(subject, data, alone):
        seen.influence, seen.meanwhile = mismatch, True
        seen.generators = _common(one, other) or data.changed(GENERATORS)
    return seen


def _agree(subject: Subject, data: SharedData, alone: list[Call]) -> bool:
    """Return whether new instances repeat the first run exactly if the shared data is restored before each run."""
    for _ in range(AGAIN):
        data.restore()
        recorder = _player(subject)
        data.restore()  # the constructor may have changed the shared data
        if _repeat(alone, recorder) is not None:
            return False
    return True


def _player(subject: Subject, seed: int | None = None) -> Recorder:
    return Recorder(subject, subject.env(second=True), seed)


def _run(recorder: Recorder) -> list[Call]:
    """Run a few episodes and return the successful calls."""
    deadline = time.perf_counter() + recorder.subject.options.run_seconds / 4
    recorder.reset(seed=recorder.trace.seed)
    with contextlib.suppress(Skip):
        recorder.play(min(STEPS, recorder.subject.options.steps), deadline)
    return recorder.trace.good


def _repeat(alone: list[Call], recorder: Recorder, other: Recorder | None = None) -> Mismatch | None:
    """Repeat a run with the same seed and actions while also stepping another instance. Return the first difference."""
    deadline = time.perf_counter() + recorder.subject.options.run_seconds / 4
    calls = recorder.repeat(alone, deadline)
    return first_mismatch(alone, calls if other is None else _alternate(calls, other))


def _alternate(calls: Iterator[Call], other: Recorder) -> Iterator[Call]:
    """Make a call to another instance after each of the given calls, and yield the given calls."""
    for call in calls:
        with contextlib.suppress(Skip):
            other.play(1) if other.trace.calls else other.reset(seed=other.trace.seed)
        yield call


def _common(one: Recorder, other: Recorder) -> list[str]:
    """Return the names of the generators that two environments share and that advance when one of them is used."""
    both = {key: found for key, found in generators(one.env).items() if key in generators(other.env)}
    before: dict[int, Any] = {key: state_of(generator) for key, (_, generator) in both.items()}
    with contextlib.suppress(Skip):
        one.reset()
        one.play(5, one_episode=True)
    return [name for key, (name, generator) in both.items() if state_of(generator) != before[key]]
