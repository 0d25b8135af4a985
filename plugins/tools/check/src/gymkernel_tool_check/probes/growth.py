"""Probes that detect resources that accumulate over many episodes of one instance, or over many instances."""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Final

from gymkernel_tool_check.definition import Skip, probe
from gymkernel_tool_check.probes.sizes import Size, container_sizes, descriptors, tasks
from gymkernel_tool_check.probes.trace import Recorder
from gymkernel_tool_check.subject import Subject
from gymkernel_tool_check.system.processes import resident_memory

__all__ = ["Growth", "Slope", "Slowing", "growth", "slowing"]

EPISODE: Final = 15
"""The maximum number of steps in an episode. Longer episodes are abandoned."""
BATCH: Final = 5
BATCHES: Final = 7
LONGER: Final = 4
"""If a resource grows, the number of episodes is multiplied by this factor to see whether the growth continues."""
INSTANCES: Final = 7
STEADY: Final = 0.7
"""If the growth has slowed down to less than this fraction of the earlier rate, it will probably stop."""
BLOCKS: Final = 2
"""The minimum growth per episode, in Python memory blocks, that is not considered noise."""
NATIVE: Final = 32 * 1024
"""The minimum growth of the process per episode, in bytes. An allocator may retain smaller amounts."""
MEMORY: Final = "memory blocks"
RESIDENT: Final = "resident memory"
FILES: Final = "open files"
TASKS: Final = "threads and processes"
"""The names of the resources that are not containers. They contain spaces, so no container has the same name."""


@dataclass(frozen=True, slots=True)
class Slope:
    """A resource that grows steadily, and its growth rate.

    Attributes:
        name: the name of the attribute or resource.
        rate: the growth per episode or per instance.
        last: the newest open file, thread or process, or "" for other resources.
        size: the current size of the container, or None if the resource is not a container.
    """

    name: str
    rate: float
    last: str = ""
    size: Size | None = None


@dataclass(slots=True)
class Growth:
    """The resources that an environment leaks, measured over many episodes.

    Attributes:
        containers: the attributes that grow, with their growth in elements per episode.
        memory: the growth in Python memory blocks per episode, if no attribute grows; otherwise None.
        resident: the growth of the process in bytes per episode, if no attribute grows; otherwise None.
        open_files, tasks: the growth in open files, and in threads and processes, as (unit, growth) pairs. The unit is
            "episode", or "instance" for growth per closed instance.
        episodes: the number of episodes that were run for the measurement.
        known: whether the operating system can list open files.
    """

    containers: list[Slope] = field(default_factory=list)
    memory: Slope | None = None
    resident: Slope | None = None
    open_files: list[tuple[str, Slope]] = field(default_factory=list)
    tasks: list[tuple[str, Slope]] = field(default_factory=list)
    episodes: int = 0
    known: bool = True


@dataclass(slots=True, eq=False)
class Sample:
    """The sizes of all resources at one point in time."""

    containers: dict[str, Size]
    blocks: int
    resident: int
    files: dict[Any, str] | None
    tasks: dict[Any, str]


def _sample(env: Any) -> Sample:
    gc.collect()
    sizes = container_sizes(env)
    return Sample(sizes, sys.getallocatedblocks(), resident_memory(os.getpid()), descriptors(), tasks())


@probe()
def growth(subject: Subject) -> Growth:
    """Measure which resources grow from one batch of episodes to the next, and from one closed instance to the next."""
    seen = Growth()
    recorder = Recorder(subject, subject.env())
    gc.collect()
    ours = not gc.get_freeze_count()  # leave objects frozen that the program itself froze
    if ours:
        gc.freeze()  # makes garbage collection faster, because it then skips existing objects
    try:
        _episodes(recorder, seen)
        if subject.live is None and not subject.options.single_instance:
            _instances(subject, seen)
    finally:
        if ours:
            gc.unfreeze()
    return seen


def _episodes(recorder: Recorder, seen: Growth) -> None:
    deadline = time.perf_counter() + recorder.subject.options.run_seconds / 2
    samples: list[Sample] = []
    if not _play(recorder, BATCH, deadline):
        raise Skip("the environment fails or is too slow to run many episodes")
    while len(samples) <= BATCHES and _play(recorder, BATCH, deadline):
        samples.append(_sample(recorder.env))
    seen.episodes = BATCH * (len(samples) - 1)
    if len(samples) < BATCHES:
        return
    seen.known = samples[0].files is not None
    suspects = _suspects(samples, BATCH, _own(recorder))
    if not suspects:
        return
    deadline = time.perf_counter() + recorder.subject.options.run_seconds
    later = [samples[-1]]
    while len(later) <= BATCHES and _play(recorder, LONGER * BATCH, deadline):
        later.append(_sample(recorder.env))
    seen.episodes += LONGER * BATCH * (len(later) - 1)
    if len(later) > BATCHES // 2:
        _conclude(seen, suspects, _suspects(later, LONGER * BATCH, _own(recorder)), later[-1])


def _own(recorder: Recorder) -> int:
    """Return the number of memory blocks that taking a sample allocates."""
    dry = [_sample(recorder.env) for _ in range(4)]
    return dry[-1].blocks - dry[-2].blocks


def _play(recorder: Recorder, episodes: int, deadline: float) -> bool:
    """Run short episodes without recording them, and return whether all of them ended before the deadline."""
    trace, seed = recorder.trace, recorder.subject.options.seed
    for _ in range(episodes):
        first = not trace.size  # the list of recorded calls grows with each call
        trace.calls.clear()
        recorder.reset(seed=seed if first else None)
        recorder.play(EPISODE, one_episode=True)
        if trace.stopped or time.perf_counter() > deadline:
            return False
    trace.calls.clear()
    return True


def _rates(values: list[int], episodes: int) -> float:
    """Return the growth per episode, or 0 if the resource does not grow steadily."""
    steps = [b - a for a, b in itertools.pairwise(values)]
    late = steps[1:] if len(steps) > 3 else steps
    half = len(late) // 2
    if half and sum(late[-half:]) < STEADY * sum(late[:half]):
        return 0.0  # the growth slows down, as in a cache
    return statistics.median(late) / episodes if late and min(late) > 0 else 0.0


def _suspects(samples: list[Sample], episodes: int, own: int) -> dict[str, float]:
    """Return the growth rate of each resource that grows from each sample to the next."""
    names = set.intersection(*(set(sample.containers) for sample in samples))
    sizes = {name: [sample.containers[name].number for sample in samples] for name in names}
    blocks = [sample.blocks - own * k for k, sample in enumerate(samples)]
    sizes |= {MEMORY: blocks} if _is_even(blocks, episodes) else {}
    sizes[RESIDENT] = [sample.resident for sample in samples]
    sizes[FILES] = [len(sample.files or ()) for sample in samples]
    sizes[TASKS] = [len(sample.tasks) for sample in samples]
    rates = {name: _rates(values, episodes) for name, values in sizes.items()}
    return {name: rate for name, rate in rates.items() if rate > 0}


def _is_even(blocks: list[int], episodes: int) -> bool:
    """Return whether the number of memory blocks grows by similar amounts each time."""
    steps = [b - a for a, b in itertools.pairwise(blocks)][1:]
    usual = statistics.median(steps) if steps else 0
    return bool(steps) and min(steps) >= 0.5 * usual and max(steps) <= 1.5 * usual + episodes


def _conclude(seen: Growth, early: dict[str, float], late: dict[str, float], last: Sample) -> None:
    """Record the resources that still grow at the initial rate, except for caches with a maximum size."""
    steady = {name: rate for name, rate in late.items() if rate >= STEADY * early.get(name, rate)}
    bounded = {name for name, size in last.containers.items() if size.limit is not None}
    endless = [(name, rate) for name, rate in steady.items() if name in last.containers.keys() - bounded]
    grown = sorted(endless, key=lambda pair: -pair[1])
    seen.containers = [Slope(name, rate, size=last.containers[name]) for name, rate in grown]
    rate = late.get(MEMORY, 0.0)  # the initial rate includes the probe's own records
    if not seen.containers and rate >= BLOCKS and not bounded & late.keys() and MEMORY in early:
        seen.memory = Slope(MEMORY, rate)
    rate = steady.get(RESIDENT, 0.0)
    if not seen.containers and rate >= NATIVE and RESIDENT in early:
        seen.resident = Slope(RESIDENT, rate)
    for name, held, found in ((FILES, last.files or {}, seen.open_files), (TASKS, last.tasks, seen.tasks)):
        if rate := steady.get(name, 0.0):
            found.append(("episode", Slope(name, rate, list(held.values())[-1])))


def _instances(subject: Subject, seen: Growth) -> None:
    """Create, use and close several instances, and record which open files, threads and processes are left."""
    deadline = time.perf_counter() + subject.options.run_seconds / 3
    files: list[dict[Any, str]] = []
    left: list[dict[Any, str]] = []
    for _ in range(INSTANCES):
        with contextlib.suppress(Skip):
            _use(subject)
        gc.collect()
        files.append(descriptors() or {})
        left.append(tasks())
        if time.perf_counter() > deadline:
            break
    if len(files) < 4:
        return
    for name, held, found in ((FILES, files, seen.open_files), (TASKS, left, seen.tasks)):
        if not found and (rate := _rates([len(sample) for sample in held], 1)):
            new = [label for key, label in held[-1].items() if key not in held[0]]
            found.append(("instance", Slope(name, rate, new[-1] if new else "")))


def _use(subject: Subject) -> None:
    with subject.untracked():
        recorder = Recorder(subject, subject.env(second=True))
        recorder.reset(seed=subject.options.seed)
        recorder.play(3, one_episode=True)
        subject.shut(recorder.env)


@dataclass(frozen=True, slots=True)
class Slowing:
    """A comparison of the speed of an instance that has run many episodes with that of a new instance.

    Attributes:
        used, fresh: how long a step of the used instance and a step of the new instance take, in seconds.
        episodes: the number of episodes that the used instance had run.
        steady: whether a step of the used instance took more than twice as long in every comparison.
    """

    used: float
    fresh: float
    episodes: int
    steady: bool


@probe()
def slowing(subject: Subject) -> Slowing:
    """Alternately measure the speed of an instance that has run many episodes and of a new instance."""
    recorder = Recorder(subject, subject.env())
    deadline = time.perf_counter() + subject.options.run_seconds / 3
    episodes = 0
    while time.perf_counter() < deadline and _play(recorder, BATCH, deadline):
        episodes += BATCH
    fresh = Recorder(subject, subject.env(second=True))
    pairs = [(_time(recorder), _time(fresh)) for _ in range(5)]
    used, new = (statistics.median(times) for times in zip(*pairs, strict=True))
    return Slowing(used, new, episodes, all(a > 2 * b for a, b in pairs))


def _time(recorder: Recorder) -> float:
    """Return the median duration of a step in seconds."""
    recorder.trace.stopped = ""
    recorder.reset()
    times = [call.seconds for call in recorder.play(EPISODE, one_episode=True)]
    recorder.trace.calls.clear()
    if not times:
        raise Skip("the environment does not run long enough to be timed")
    return statistics.median(times)
