"""Rollouts again, with the processor time of a step beside the time by the clock: of the driver, its workers, and Ray.

The rows are those of `rollouts`. A share of the ideal by the clock says how busy the processors were; processor time
says what a step costs, also on a machine that others use at the same time. Of the ideal it is that of its processes.
"""

from __future__ import annotations

import multiprocessing
import statistics
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from tests.benchmarks import rollouts
from tests.benchmarks.processor_time import Seconds, Stopwatch
from tests.benchmarks.rollouts import ENVS, LENGTH, NAMES, SHARDS, _ray, policy
from tests.benchmarks.vector_async import THEIRS, maker

import gymkernel
from gymkernel import plugins
from gymkernel.rollouts import collect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.benchmarks.measure import Bench

__all__ = ["Cost", "Workload", "collected", "ideal", "run", "told", "turns", "workloads"]

ENGINES: dict[str, dict[str, Any]] = {
    "async": {"engine": "async"},
    "Ray": {"engine": "ray"},
    "Ray, through its store": {"engine": "ray", "shared_memory": False},
}
ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a step, in seconds.

    Attributes:
        wall: by the clock on the wall.
        processor: of the processors.
    """

    wall: float
    processor: Seconds


@dataclass(slots=True)
class ClockedMeeting:
    """What the processes of the ideal meet at, and give their results to: it notes their processor time, too."""

    meet: Any
    results: Any
    began: float = field(default=0.0)

    def wait(self) -> None:
        """Begin together."""
        self.meet.wait()
        self.began = time.process_time()

    def put(self, seconds: float) -> None:
        """Tell the seconds by the clock, and those of the processor."""
        self.results.put((seconds, time.process_time() - self.began))


def ideal(workload: Workload, acting: Any = policy) -> Cost:
    """As many plain processes that do the same and hand over nothing."""
    context = multiprocessing.get_context("fork")
    clocked = ClockedMeeting(context.Barrier(SHARDS), context.SimpleQueue())
    processes = [
        context.Process(target=_plain, args=(workload, seeds, clocked, acting)) for seeds in rollouts.seeds_of_shards()
    ]
    for process in processes:
        process.start()
    taken = [clocked.results.get() for _ in processes]
    for process in processes:
        process.join()
    steps = workload.rows * ENVS * workload.fragments
    wall = sum(one for one, _ in taken) / len(taken) / steps
    return Cost(float(wall), Seconds(workers=sum(one for _, one in taken)) * (1 / steps))


def _plain(workload: Workload, seeds: range, clocked: ClockedMeeting, acting: Any) -> None:
    rollouts.policy = acting  # of this process alone
    rollouts.plain(workload.make, seeds, workload.rows, workload.fragments, False, clocked, clocked)


def collected(workload: Workload, acting: Any = policy, **options: Any) -> Cost:
    """A collector, once it runs."""
    make, rows, fragments = workload.make, workload.rows, workload.fragments
    with collect([make] * ENVS, acting, fragment_length=rows, seed=1, num_shards=SHARDS, **options) as collector:
        for _ in range(rollouts.WARM_UP * SHARDS):
            next(collector)
        began, processor = time.perf_counter(), Stopwatch()
        for _ in range(SHARDS * fragments):
            next(collector)
        steps = rows * ENVS * fragments
        return Cost((time.perf_counter() - began) / steps, processor.elapsed() * (1 / steps))


def turns(contenders: dict[str, Callable[[], Cost]]) -> dict[str, Cost]:
    """The medians of several measurements that take turns."""
    taken: dict[str, list[Cost]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, measured in contenders.items():
            taken[name].append(measured())
    return {name: _median(costs) for name, costs in taken.items()}


def _median(costs: list[Cost]) -> Cost:
    processor = Seconds(
        *(
            statistics.median(getattr(cost.processor, kind) for cost in costs)
            for kind in ("driver", "workers", "store", "services")
        )
    )
    return Cost(statistics.median(cost.wall for cost in costs), processor)


@dataclass(frozen=True, slots=True)
class Workload:
    """What is collected.

    Attributes:
        make: makes an environment.
        rows: time steps of a fragment: half as many where a step takes long.
        fragments: of each shard, in one measurement.
    """

    make: Any
    rows: int
    fragments: int


def workloads(names: Iterable[str]) -> dict[str, Workload]:
    """Those that can be made here."""
    found = {}
    for name in names:
        if name == THEIRS and not plugins.adapters("gymnasium.spaces.space.Space"):
            print(f"{THEIRS}: needs gymkernel-bridge-gymnasium")
        elif name.startswith("1 ms"):
            found[name] = Workload(maker(gymkernel, name), LENGTH // 2, 1)
        else:
            found[name] = Workload(maker(gymkernel, name), LENGTH, 2 if "work" in name else 16)
    return found


def told(bench: Bench, name: str, costs: dict[str, Cost]) -> None:
    """Add the rows of a workload: shares of the ideal by the clock, and by processor time with the driver's part."""
    for engine, cost in costs.items():
        if engine == "ideal":
            continue
        bench.add(f"{name}, {engine}, wall", (cost.wall, costs["ideal"].wall), against="ideal")
        processor = cost.processor
        total = (processor.total, costs["ideal"].processor.total)
        bench.add(f"{name}, {engine}, processor", total, against="ideal")
        bench.add(f"{name}, {engine}, driver", (processor.driver, processor.total), against="all of it", share=True)


def run(bench: Bench) -> None:
    """All of it."""
    ray = _ray()
    engines = ENGINES if ray is not None else {"async": ENGINES["async"]}
    bench.section(f"Rollouts: time and processor time of one step, {ENVS} environments in {SHARDS} shards")
    for name, workload in workloads(NAMES).items():
        contenders: dict[str, Callable[[], Cost]] = {"ideal": partial(ideal, workload)}
        for engine, options in engines.items():
            contenders[engine] = partial(collected, workload, **options)
        told(bench, name, turns(contenders))
    if ray is not None:
        ray.shutdown()
