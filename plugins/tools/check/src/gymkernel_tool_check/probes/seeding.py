"""Probes that reset an environment with various seeds, without a seed, and with options."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.probes.repetition import scrambled_global_generators
from gymkernel_tool_check.probes.rollouts import rollout
from gymkernel_tool_check.probes.trace import Call, Recorder
from gymkernel_tool_check.subject import Subject
from gymkernel_util_spaces.compare import difference, snapshot

__all__ = ["SeedSweep", "Seeding", "WatchedOptions", "options", "seed_sweep", "seeding"]

MORE: Final = 12
"""The number of additional seeds. Each seed is used in two runs."""
LARGE_SEEDS: Final = (1, 2**31, 2**32 + 1, 2**40 + 1)


@dataclass(slots=True)
class Seeding:
    """The results of resetting one instance with several seeds and without a seed.

    Attributes:
        zero, other: two short runs that start with reset(seed=0), and two that start with another seed.
        others: short runs with additional seeds, two per seed. The list is empty if the two runs in `zero` are equal.
        large: (seed, reset) pairs for seeds of up to 41 bits and for a NumPy integer. If a reset fails, it is the last
            one.
        seeded: one reset with each of several other seeds.
        unseeded: many resets without a seed after the last reset with a seed.
    """

    zero: list[list[Call]] = field(default_factory=list)
    other: list[list[Call]] = field(default_factory=list)
    others: list[list[Call]] = field(default_factory=list)
    large: list[tuple[Any, Call]] = field(default_factory=list)
    seeded: list[Call] = field(default_factory=list)
    unseeded: list[Call] = field(default_factory=list)


@probe()
def seeding(subject: Subject) -> Seeding:
    """Reset an environment with several seeds and without a seed."""
    recorder = Recorder(subject, subject.env())
    if not recorder.takes["seed"]:
        raise Skip("reset accepts no seed (GK201)")
    seen, seed = Seeding(), subject.options.seed
    deadline = time.perf_counter() + subject.options.run_seconds / 3
    if recorder.reset(seed=seed).error is not None:
        raise Skip("reset does not work (GK203)")
    failed = subject.get(rollout).failed
    if failed is not None and failed.method == "reset":
        raise Skip("reset does not always work (GK214)")
    recorder.reset()
    acts: list[Any] = []
    with contextlib.suppress(Skip):
        acts = [recorder.sample() for _ in range(10)]
    for _ in range(2):
        with scrambled_global_generators() if seen.zero else contextlib.nullcontext():
            seen.zero.append(_play(recorder, 0, acts))
        recorder.reset(seed=seed)
        seen.other.append(_play(recorder, seed + 7, acts))
        recorder.reset(seed=seed)
    if any(difference(a.kept, b.kept) for a, b in zip(*seen.zero, strict=False)):
        # the runs with seed 0 differ, so find out whether other seeds work
        seen.others = [_play(recorder, seed + 8 + k // 2, acts) for k in range(MORE)]
    seen.large = _large(recorder, seed)
    for k in range(6):
        if time.perf_counter() < deadline:
            seen.seeded.append(recorder.reset(seed=seed + k))
    for _ in range(20):
        if time.perf_counter() < deadline:
            seen.unseeded.append(recorder.reset())
    return seen


def _large(recorder: Recorder, seed: int) -> list[tuple[Any, Call]]:
    tried: list[tuple[Any, Call]] = []
    numpys: Any = np.int64(seed)
    for given in (*LARGE_SEEDS, numpys):
        tried.append((given, recorder.reset(seed=given)))
        if tried[-1][1].error is not None:
            break
    return tried


def _play(recorder: Recorder, seed: int, acts: list[Any]) -> list[Call]:
    calls = [recorder.reset(seed=seed)]
    for action in acts:
        if calls[-1].error is not None or calls[-1].ended:
            break
        calls.append(recorder.step(snapshot(action)))
    return calls


SEEDS: Final = {"fast": 20, "default": 300, "thorough": 5000}
SHARE: Final = 6
"""Trying many seeds may take at most 1 / `SHARE` of the time limit of a recorded run."""


@dataclass(slots=True)
class SeedSweep:
    """The results of resetting an environment with the seeds 0, 1, 2 and so on.

    Attributes:
        seconds: the duration of each reset in seconds.
        failed: the seed and the reset that raised an exception or did not return (`timeouts.Hung`), or None if none
            failed.
        resets: the (seed, observation) pair of each successful reset.
    """

    seconds: list[float] = field(default_factory=list)
    failed: tuple[int, Call] | None = None
    resets: list[tuple[int, Any]] = field(default_factory=list)


@probe()
def seed_sweep(subject: Subject) -> SeedSweep:
    """Reset one environment with many seeds, one after another."""
    recorder = Recorder(subject, subject.env())
    if not recorder.takes["seed"]:
        raise Skip("reset accepts no seed (GK201)")
    seen, given = SeedSweep(), subject.options
    deadline = time.perf_counter() + given.run_seconds / SHARE
    for seed in range(SEEDS.get(given.profile, SEEDS["default"])):
        if time.perf_counter() > deadline:
            break
        recorder.trace.seed = seed
        call = recorder.reset(seed=seed)
        recorder.trace.calls.clear()
        if call.error is not None:
            seen.failed = seed, call
            break
        seen.seconds.append(call.seconds)
        seen.resets.append((seed, call.kept))
    return seen


class WatchedOptions(dict[str, Any]):
    """A dictionary of options that records the calls of methods that modify it."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.changes: list[str] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)  # a copy is a plain dictionary, because an environment may modify its own copy


def _watch(name: str) -> Any:
    plain = getattr(dict, name)

    def method(self: WatchedOptions, *arguments: Any, **keywords: Any) -> Any:
        self.changes.append(f"{name}({', '.join(map(repr, arguments))})")
        return plain(self, *arguments, **keywords)

    return method


for _name in ("__setitem__", "__delitem__", "pop", "popitem", "setdefault", "update", "clear", "__ior__"):
    setattr(WatchedOptions, _name, _watch(_name))


@probe(quick=True)
def options(subject: Subject) -> list[tuple[WatchedOptions, Call]]:
    """Reset an environment with empty options, and with an unknown option, which the environment may reject."""
    recorder = Recorder(subject, subject.env())
    if not recorder.takes["options"]:
        raise Skip("reset accepts no options (GK202)")
    if recorder.reset(seed=subject.options.seed).error is not None:
        raise Skip("reset does not work (GK203)")
    tried = [WatchedOptions(), WatchedOptions({"gymkernel_check": 1})]
    return [(given, recorder.reset(options=given)) for given in tried]
