"""Rollouts: steps of a policy, collected in fragments, against as many plain processes that do the same by themselves.

The plain processes hand over nothing: they are the ideal, of which the rows are shares. Every process has the
environments of a shard, with their seeds, the same policy, and writes the same arrays, after as many steps to warm up.
There are two kinds of them:

* **ideal**: a loop over this package's own synchronous vector environment, which is what a shard has, too;
* **plain Gymnasium**: the same loop over Gymnasium's, which is what such processes are without this package.

Everything stays open while the others have their turns, so that a machine whose speed changes gives each the same; and
all is made anew several times. Turns take half a second, and more where steps take long: as many fragments then as even
out what one shard has to wait for another, whose steps happened to take longer. The plain processes are done when the
slower one is. Beside the time by the clock there is the processor time of a step: of the driver, its workers, and Ray.
A share by the clock says how busy the processors were; processor time says what a step costs, also on a machine that
others use at the same time.
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

__all__ = ["Collected", "Contender", "Cost", "PlainLoops", "Workload", "run", "start_ray", "told", "turns", "workloads"]

ENVS = 64
LENGTH = 128
SHARDS = min(CORES, 2)
IMAGES = ("84x84x4 uint8", "84x84x4 uint8, drawn anew")
NAMES = (THEIRS, "CartPole", "100 us of work", "1 ms of work, exponential", *IMAGES)
WARM_UP = 2
"""Fragments of each shard before time is taken, in each turn, which a collector has ready from its last turn."""
TURN_SECONDS = 0.5
SLOW = {"100 us of work": (64, 2.0), "1 ms of work, exponential": (16, 4.0)}
"""Time steps of a fragment, and seconds of a turn, where steps take long."""
TIMES, ROUNDS = 6, 1
"""How often everything is made anew, and how often each has its turn in that time. Processes that do the same differ
by some percent as long as they live, so that many of them say more than many turns."""
ENGINES: dict[str, dict[str, Any]] = {
    "async": {"engine": "async", "context": "spawn"},  # processes that were forked would share their parent's luck
    "Ray": {"engine": "ray"},
    "Ray, through its store": {"engine": "ray", "shared_memory": False},
}
LOCAL = 0.95
"""Share of the ideal aimed at in processes of one machine."""
RAY = {THEIRS: 0.9, "100 us of work": 0.95, "1 ms of work, exponential": 0.98, **dict.fromkeys(IMAGES, 0.6)}
WEIGHTS = np.random.default_rng(0).normal(size=(4, 2))


def policy(observations: Any) -> Any:
    """A small one: two scores of four numbers, with the better one's as an extra."""
    scores = observations.reshape(len(observations), -1)[:, :4] @ WEIGHTS
    return scores.argmax(1), {"values": scores.max(1)}


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a step, in seconds.

    Attributes:
        wall: by the clock on the wall.
        processor: of the processors.
    """

    wall: float
    processor: Seconds


@dataclass(frozen=True, slots=True)
class Workload:
    """What is collected.

    Attributes:
        name: of it.
        rows: time steps of a fragment.
        turn: seconds of one.
        seconds: that a step takes, roughly; it says how many fragments fill a turn.
    """

    name: str
    rows: int
    turn: float
    seconds: float

    def fragments(self) -> int:
        """Of each shard, in one turn."""
        return max(1, round(self.turn * SHARDS / (self.seconds * self.rows * ENVS)))


class Contender(Protocol):
    """Something that is measured in turns with others."""

    def measure(self) -> Cost:
        """What a step costs, in one turn."""

    def close(self) -> None:
        """Leave nothing behind."""


class PlainLoops:
    """Processes that hand over nothing.

    Args:
        workload: what they do.
        acting: the policy.
        library: whose vector environment they have: gymkernel or gymnasium.
    """

    def __init__(self, workload: Workload, acting: Any = policy, *, library: Any = gymkernel) -> None:
        context = multiprocessing.get_context("spawn")  # as Ray's are, fresh
        self._steps = workload.rows * ENVS * workload.fragments()
        self._meet, self._results = context.Barrier(SHARDS + 1), context.SimpleQueue()
        made = bytes(cloudpickle.dumps((library is gymkernel, maker(library, workload.name), acting)))
        arguments = (workload.rows, workload.fragments(), self._meet, self._results)
        seeds = [range(1 + ENVS * k // SHARDS, 1 + ENVS * (k + 1) // SHARDS) for k in range(SHARDS)]
        self._processes = [context.Process(target=_loop, args=(made, one, *arguments)) for one in seeds]
        for process in self._processes:
            process.start()

    def measure(self) -> Cost:
        """One turn."""
        self._meet.wait()
        taken = [self._results.get() for _ in self._processes]
        wall = max(seconds for seconds, _ in taken)  # as of a collector: when the last shard is done
        return Cost(wall / self._steps, Seconds(workers=sum(seconds for _, seconds in taken)) * (1 / self._steps))

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.kill()
            process.join()


def _loop(made: bytes, seeds: range, rows: int, fragments: int, meet: Any, results: Any) -> None:
    """A loop as one writes it, into arrays that it uses again."""
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
        workload: what is collected.
        acting: the policy.
        **options: of `collect`.
    """

    def __init__(self, workload: Workload, acting: Any = policy, **options: Any) -> None:
        make = maker(gymkernel, workload.name)
        self._fragments, self._steps = workload.fragments(), workload.rows * ENVS * workload.fragments()
        self._ahead = 1.3 * WARM_UP * workload.rows * ENVS / SHARDS * workload.seconds
        self._collector = collect(
            [make] * ENVS, acting, fragment_length=workload.rows, seed=1, num_shards=SHARDS, **options
        )

    def measure(self) -> Cost:
        """One turn; what was ready when it began is not counted."""
        for _ in range(WARM_UP * SHARDS):
            next(self._collector)
        began, processor = time.perf_counter(), Stopwatch()
        for _ in range(SHARDS * self._fragments):
            next(self._collector)
        cost = Cost((time.perf_counter() - began) / self._steps, processor.elapsed() * (1 / self._steps))
        time.sleep(self._ahead)  # until the shards have what they collect ahead, and leave the processors to others
        return cost

    def close(self) -> None:
        """Close the collector."""
        self._collector.close()


def turns(contenders: dict[str, Callable[[], Contender]], times: int, rounds: int) -> dict[str, Cost]:
    """What each of several contenders costs, which take turns.

    Args:
        contenders: what makes each, by name.
        times: how often they are made anew.
        rounds: how often each has its turn in that time.
    """
    taken: dict[str, list[Cost]] = {name: [] for name in contenders}
    for _ in range(times):
        with contextlib.ExitStack() as stack:
            made: dict[str, Contender] = {}
            for name, make in contenders.items():
                made[name] = make()
                stack.callback(made[name].close)
                made[name].measure()  # what is made at the first call
            for _ in range(rounds):
                for name, one in made.items():
                    taken[name].append(one.measure())
    return {name: _median(costs) for name, costs in taken.items()}


def _median(costs: list[Cost]) -> Cost:
    """The median by the clock; the mean of the middle half of processor times, which come in hundredths of a second."""
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
    """Those that can be made here, with how long a step takes."""
    found = {}
    for name in names:
        if name == THEIRS and not plugins.adapters("gymnasium.spaces.space.Space"):
            print(f"{THEIRS}: needs gymkernel-bridge-gymnasium")
            continue
        found[name] = Workload(name, *SLOW.get(name, (LENGTH, TURN_SECONDS)), _roughly(name))
    return found


def _roughly(name: str) -> float:
    """Seconds of a step of one environment in one process."""
    envs = SyncVectorEnv([maker(gymkernel, name)] * ENVS, autoreset_mode="SameStep")
    envs.reset(seed=1)
    actions, began, steps = np.zeros(ENVS, np.int64), time.perf_counter(), 0
    while steps < 8 or time.perf_counter() - began < 0.1:
        envs.step(actions)
        steps += 1
    envs.close()
    return (time.perf_counter() - began) / steps / ENVS


def told(bench: Bench, name: str, costs: dict[str, Cost], *, targets: bool = False) -> None:
    """Add the rows of a workload: shares of the ideal by the clock, and by processor time with the driver's part."""
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
    """All of it."""
    ray = start_ray()
    engines = ENGINES if ray is not None else {"async": ENGINES["async"]}
    bench.section(f"Rollouts: time and processor time of one step, {ENVS} environments in {SHARDS} shards")
    for name, workload in workloads(NAMES).items():
        contenders: dict[str, Callable[[], Contender]] = {"ideal": partial(PlainLoops, workload)}
        contenders["plain Gymnasium"] = partial(PlainLoops, workload, library=gymnasium)
        for engine, options in engines.items():
            contenders[engine] = partial(Collected, workload, **options)
        told(bench, name, turns(contenders, 1 if bench.quick else TIMES, ROUNDS), targets=True)
    if ray is not None:
        ray.shutdown()


def start_ray() -> Any:
    """Ray, with a cluster of this machine whose processes have no lower priority than others; None without it."""
    try:
        import ray
    except ImportError:
        print("Ray: not installed")
        return None
    import os

    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - its name
    ray.init(num_cpus=max(CORES, SHARDS) * len(ENGINES), include_dashboard=False, log_to_driver=False)
    return ray
