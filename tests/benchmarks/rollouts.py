"""Benchmarks of rollouts that are collected in fragments, compared with processes that do not communicate.

The plain processes transfer no data, so their speed is the ideal, and each row shows which share of it is reached. A
plain process has the environments, the seeds and the policy of one shard, writes the same arrays, and makes the same
number of warm-up steps. There are two kinds of plain processes:

* **ideal**: a loop over gymkernel's synchronous vector environment, which shards also use;
* **plain Gymnasium**: the same loop over Gymnasium's synchronous vector environment.

All contenders stay open while the others are measured, so that changes in the machine's speed affect all of them. All
contenders are recreated several times. A turn takes half a second, or longer if steps are slow, so that it has enough
fragments to even out differences between shards. A turn of the plain processes ends when the slower process ends. The
rows show wall-clock time and the CPU time of a step: of the driver, of its workers and of Ray. The share of the ideal
wall-clock time shows how busy the processors were. The CPU time shows the cost of a step, even on a machine that is
also used by others.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import pickle
import statistics
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import cloudpickle
import gymnasium
import numpy as np
from tests.benchmarks.processor_time import Seconds, Stopwatch
from tests.benchmarks.vector_async import CORES, THEIRS, maker

import gymkernel
from gymkernel import plugins
from gymkernel.rollouts import collect
from gymkernel.vector import SyncVectorEnv

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.benchmarks.measure import Bench

__all__ = [
    "Collected",
    "Contender",
    "Cost",
    "PlainLoops",
    "Workload",
    "report",
    "run",
    "start_ray",
    "turns",
    "workloads",
]

ENVS = 64
LENGTH = 128
SHARDS = min(CORES, 2)
IMAGES = ("84x84x4 uint8", "84x84x4 uint8, drawn anew")
NAMES = (THEIRS, "CartPole", "100 us of work", "1 ms of work, exponential", *IMAGES)
WARM_UP = 2
"""How many fragments per shard are not timed in each turn, because a collector has prepared them in its last turn."""
TURN_SECONDS = 0.5
SLOW = {"100 us of work": (64, 2.0), "1 ms of work, exponential": (16, 4.0)}
"""Time steps per fragment, and seconds per turn, for slow environments."""
TIMES, ROUNDS = 6, 1
"""How many times all contenders are recreated, and how many turns each of them gets before the next time.

The speed of two identical processes may differ by several percent as long as they live, so new processes give more
information than more turns."""
ENGINES: dict[str, dict[str, Any]] = {
    "async": {"engine": "async", "context": "spawn"},  # forked processes would share the memory layout of their parent
    "Ray": {"engine": "ray"},
    "Ray, through its store": {"engine": "ray", "shared_memory": False},
}
LOCAL = 0.95
"""The fraction of the ideal speed that processes on one machine should reach."""
RAY = {THEIRS: 0.9, "100 us of work": 0.95, "1 ms of work, exponential": 0.98, **dict.fromkeys(IMAGES, 0.6)}
WEIGHTS = np.random.default_rng(0).normal(size=(4, 2))


def policy(observations: Any) -> Any:
    """Compute two scores from four numbers, and return the index of the higher score, with its value as an extra."""
    scores = observations.reshape(len(observations), -1)[:, :4] @ WEIGHTS
    return scores.argmax(1), {"values": scores.max(1)}


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a step in seconds.

    Attributes:
        wall: wall-clock time.
        processor: CPU time.
    """

    wall: float
    processor: Seconds


@dataclass(frozen=True, slots=True)
class Workload:
    """A kind of environment and the size of its fragments.

    Attributes:
        name: the name of the environments.
        rows: time steps per fragment.
        turn: seconds per turn.
        seconds: the approximate duration of a step, which determines the number of fragments per turn.
    """

    name: str
    rows: int
    turn: float
    seconds: float

    def fragments(self) -> int:
        """Return the number of fragments that each shard delivers per turn."""
        return max(1, round(self.turn * SHARDS / (self.seconds * self.rows * ENVS)))


class Contender(Protocol):
    """An implementation that is measured alternately with others."""

    def measure(self) -> Cost:
        """Return the cost of a step in one turn."""

    def close(self) -> None:
        """End all processes."""


class PlainLoops:
    """Processes that step environments and transfer no data.

    Args:
        workload: the environments.
        acting: the policy.
        library: the library that provides the vector environment, which is gymkernel or gymnasium.
    """

    def __init__(self, workload: Workload, acting: Any = policy, *, library: Any = gymkernel) -> None:
        context = multiprocessing.get_context("spawn")  # fresh processes, like Ray's
        self._steps = workload.rows * ENVS * workload.fragments()
        self._meet, self._results = context.Barrier(SHARDS + 1), context.SimpleQueue()
        made = bytes(cloudpickle.dumps((library is gymkernel, maker(library, workload.name), acting)))
        arguments = (workload.rows, workload.fragments(), self._meet, self._results)
        seeds = [range(1 + ENVS * k // SHARDS, 1 + ENVS * (k + 1) // SHARDS) for k in range(SHARDS)]
        self._processes = [context.Process(target=_loop, args=(made, part, *arguments)) for part in seeds]
        for process in self._processes:
            process.start()

    def measure(self) -> Cost:
        self._meet.wait()
        taken = [self._results.get() for _ in self._processes]
        wall = max(seconds for seconds, _ in taken)  # wait until the last shard is done, as a collector does
        return Cost(wall / self._steps, Seconds(workers=sum(seconds for _, seconds in taken)) * (1 / self._steps))

    def close(self) -> None:
        for process in self._processes:
            process.kill()
            process.join()


def _loop(made: bytes, seeds: range, rows: int, fragments: int, meet: Any, results: Any) -> None:
    """Run a plain loop that writes into reused arrays."""
    ours, make, acting = pickle.loads(made)
    n, library = len(seeds), gymkernel if ours else gymnasium
    vector: Any = SyncVectorEnv if ours else gymnasium.vector.SyncVectorEnv
    envs: Any = vector([make] * n, autoreset_mode=library.vector.AutoresetMode.SAME_STEP)
    observations, _ = envs.reset(seed=list(seeds))
    seen = np.empty((rows, *observations.shape), observations.dtype)
    acted, rewards, values = np.empty((rows, n), np.int64), np.empty((rows, n)), np.empty((rows, n))
    ended, cut = np.empty((rows, n), bool), np.empty((rows, n), bool)
    while True:
        meet.wait()
        for turn in range(1 + fragments):
            if turn == 1:
                began, processor = time.perf_counter(), time.process_time()
            for t in range(rows):
                seen[t] = observations
                acted[t], extras = acting(observations)
                values[t] = extras["values"]
                observations, rewards[t], ended[t], cut[t], _ = envs.step(acted[t])
        results.put((time.perf_counter() - began, time.process_time() - processor))


class Collected:
    """A collector that stays open.

    Args:
        workload: the environments and the size of the fragments.
        acting: the policy.
        **options: further arguments of `collect`.
    """

    def __init__(self, workload: Workload, acting: Any = policy, **options: Any) -> None:
        make = maker(gymkernel, workload.name)
        self._fragments, self._steps = workload.fragments(), workload.rows * ENVS * workload.fragments()
        self._ahead = 1.3 * WARM_UP * workload.rows * ENVS / SHARDS * workload.seconds
        self._collector = collect(
            [make] * ENVS, acting, fragment_length=workload.rows, seed=1, num_shards=SHARDS, **options
        )

    def measure(self) -> Cost:
        """Return the cost of a step in one turn, not counting the fragments that were ready when the turn started."""
        for _ in range(WARM_UP * SHARDS):
            next(self._collector)
        began, processor = time.perf_counter(), Stopwatch()
        for _ in range(SHARDS * self._fragments):
            next(self._collector)
        cost = Cost((time.perf_counter() - began) / self._steps, processor.elapsed() * (1 / self._steps))
        time.sleep(self._ahead)  # wait until the shards have collected their next fragments and are idle
        return cost

    def close(self) -> None:
        self._collector.close()


def turns(contenders: dict[str, Callable[[], Contender]], times: int, rounds: int) -> dict[str, Cost]:
    """Measure several contenders alternately, and return the cost of a step for each.

    Args:
        contenders: functions that create the contenders, by name.
        times: how many times all contenders are recreated.
        rounds: the number of turns that each contender gets before all contenders are recreated.
    """
    taken: dict[str, list[Cost]] = {name: [] for name in contenders}
    for _ in range(times):
        with contextlib.ExitStack() as stack:
            made: dict[str, Contender] = {}
            for name, make in contenders.items():
                made[name] = make()
                stack.callback(made[name].close)
                made[name].measure()  # the first call allocates memory and starts processes
            for _ in range(rounds):
                for name, contender in made.items():
                    taken[name].append(contender.measure())
    return {name: _median(costs) for name, costs in taken.items()}


def _median(costs: list[Cost]) -> Cost:
    """Return the median wall-clock time, and the mean of the middle half of the CPU times.

    CPU times have a resolution of a hundredth of a second, so their mean is more precise than their median.
    """
    totals = sorted(costs, key=lambda cost: cost.processor.total)
    middle = totals[len(totals) // 4 : len(totals) - len(totals) // 4]
    processor = Seconds(
        *(
            statistics.fmean(getattr(cost.processor, kind) for cost in middle)
            for kind in ("driver", "workers", "store", "services")
        )
    )
    return Cost(statistics.median(cost.wall for cost in costs), processor)


def workloads(names: Iterable[str]) -> dict[str, Workload]:
    """Return the workloads whose packages are installed, each with the approximate duration of a step."""
    found = {}
    for name in names:
        if name == THEIRS and not plugins.providers("adapters", "gymnasium.spaces.space.Space"):
            print(f"{THEIRS}: needs gymkernel-bridge-gymnasium")
            continue
        found[name] = Workload(name, *SLOW.get(name, (LENGTH, TURN_SECONDS)), _roughly(name))
    return found


def _roughly(name: str) -> float:
    """Return the approximate duration of a step of one environment in seconds."""
    envs = SyncVectorEnv([maker(gymkernel, name)] * ENVS, autoreset_mode="SameStep")
    envs.reset(seed=1)
    actions, began, steps = np.zeros(ENVS, np.int64), time.perf_counter(), 0
    while steps < 8 or time.perf_counter() - began < 0.1:
        envs.step(actions)
        steps += 1
    envs.close()
    return (time.perf_counter() - began) / steps / ENVS


def report(bench: Bench, name: str, costs: dict[str, Cost], *, targets: bool = False) -> None:
    """Add the rows of a workload: shares of the ideal wall-clock and CPU time, and the driver's share of CPU time."""
    ideal = costs["ideal"]
    for engine, cost in costs.items():
        if engine == "ideal":
            continue
        target = {"async": LOCAL, "Ray": RAY.get(name)}.get(engine) if targets else None
        bench.add(f"{name}, {engine}, wall", (cost.wall, ideal.wall), target, against="ideal")
        processor = cost.processor
        bench.add(f"{name}, {engine}, processor", (processor.total, ideal.processor.total), against="ideal")
        if processor.driver:
            bench.add(f"{name}, {engine}, driver", (processor.driver, processor.total), against="all of it", share=True)


def run(bench: Bench) -> None:
    """Measure all workloads with every engine."""
    ray = start_ray()
    engines = ENGINES if ray is not None else {"async": ENGINES["async"]}
    bench.section(f"Rollouts: time and CPU time of one step, {ENVS} environments in {SHARDS} shards")
    for name, workload in workloads(NAMES).items():
        contenders: dict[str, Callable[[], Contender]] = {"ideal": partial(PlainLoops, workload)}
        contenders["plain Gymnasium"] = partial(PlainLoops, workload, library=gymnasium)
        for engine, options in engines.items():
            contenders[engine] = partial(Collected, workload, **options)
        report(bench, name, turns(contenders, 1 if bench.quick else TIMES, ROUNDS), targets=True)
    if ray is not None:
        ray.shutdown()


def start_ray() -> Any:
    """Start Ray with processes of normal priority, and return the module, or None if Ray is not installed."""
    try:
        import ray
    except ImportError:
        print("Ray: not installed")
        return None
    import os

    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - Ray defines this name
    ray.init(num_cpus=max(CORES, SHARDS) * len(ENGINES), include_dashboard=False, log_to_driver=False)
    return ray
