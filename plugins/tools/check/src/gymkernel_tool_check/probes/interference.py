"""Several instances in one process: what one does must not reach another."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from typing import Any, Literal

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.introspect import read
from gymkernel_tool_check.probes.shared_data import GENERATORS, SharedData, generators, state_of
from gymkernel_tool_check.probes.trace import Call, Mismatch, Recorder, is_space
from gymkernel_tool_check.subject import Subject

__all__ = ["Influence", "Interference", "interference"]

STEPS = 60
AGAIN = 3


@dataclass(slots=True)
class Influence:
    """Where an instance does something else because of another.

    `how` is "before" (another instance was used before it) or "meanwhile" (both are used in turns).
    """

    how: Literal["before", "meanwhile"]
    call: Call
    what: str
    detail: str


@dataclass(slots=True)
class Interference:
    """What instances have in common.

    Attributes:
        influence: the first place in which one shows.
        data: names of the data of classes and modules that runs change.
        generators: names of generators that two instances use and that move when one of them is used.
        spaces: names of spaces that are one object in two instances.
    """

    influence: Influence | None = None
    data: list[str] = field(default_factory=list)
    generators: list[str] = field(default_factory=list)
    spaces: list[str] = field(default_factory=list)


@probe()
def interference(subject: Subject) -> Interference:
    """Run one instance alone, one after it, and two in turns; the same seed and actions must give the same."""
    seen = Interference()
    first = _player(subject)
    second = _player(subject)
    for name in ("observation_space", "action_space"):
        space = read(first.env, name, None)
        if is_space(space) and space is read(second.env, name, None):
            seen.spaces.append(name)
    data = SharedData.of(first.env)
    alone = _run(first)
    seen.data = data.changed()
    if not first.takes["seed"] or subject.nondeterministic or not alone:
        return seen  # what differs may differ for other reasons
    mismatch = _first_mismatch(alone, second)
    if mismatch is not None:
        data.restore()
        if _agree(subject, data, alone):
            seen.influence = Influence("before", *mismatch)
        return seen
    one, other = _player(subject), _player(subject, subject.options.seed + 1)
    mismatch = _first_mismatch(alone, one, other)
    if mismatch is not None and _agree(subject, data, alone):
        seen.influence = Influence("meanwhile", *mismatch)
        seen.generators = _common(one, other) or data.changed(GENERATORS)
    return seen


def _agree(subject: Subject, data: SharedData, alone: list[Call]) -> bool:
    """Whether fresh instances do the same as the first, where what they share is as it was; several, against chance."""
    for _ in range(AGAIN):
        data.restore()
        recorder = _player(subject)
        data.restore()  # what the constructor does is a part of it
        if _first_mismatch(alone, recorder) is not None:
            return False
    return True


def _player(subject: Subject, seed: int | None = None) -> Recorder:
    return Recorder(subject, subject.env(second=True), seed)


def _run(recorder: Recorder) -> list[Call]:
    """A few episodes; the calls that returned something."""
    deadline = time.perf_counter() + recorder.subject.options.run_seconds / 4
    recorder.reset(seed=recorder.trace.seed)
    with contextlib.suppress(Skip):
        recorder.play(min(STEPS, recorder.subject.options.steps), deadline)
    return recorder.trace.good


def _first_mismatch(alone: list[Call], recorder: Recorder, other: Recorder | None = None) -> Mismatch | None:
    """Where a run with the same seed and actions differs first; `other` goes along."""
    deadline = time.perf_counter() + recorder.subject.options.run_seconds / 4
    return recorder.first_mismatch(alone, deadline, None if other is None else lambda: _advance(other))


def _advance(recorder: Recorder) -> None:
    """One call, whatever is next."""
    if not recorder.trace.calls:
        recorder.reset(seed=recorder.trace.seed)
        return
    with contextlib.suppress(Skip):
        recorder.play(1)


def _common(one: Recorder, other: Recorder) -> list[str]:
    """Generators of both that move when one of them is used."""
    both = {key: found for key, found in generators(one.env).items() if key in generators(other.env)}
    before: dict[int, Any] = {key: state_of(generator) for key, (_, generator) in both.items()}
    with contextlib.suppress(Skip):
        one.reset()
        one.play(5, one_episode=True)
    return [name for key, (name, generator) in both.items() if state_of(generator) != before[key]]
