"""Rollouts: steps of a policy, collected in fragments, against as many plain processes that do the same by themselves.

The plain processes hand over nothing: they are the ideal, of which the rows are shares. Every process has the
environments of a shard, with their seeds, the same policy, and writes the same arrays, after as many steps to warm up.

Images have a second ideal, which writes them into memory that processes share. NumPy's large arrays are in pages of
2 MB; shared memory has pages of 4 kB where shmem_enabled of /sys/kernel/mm/transparent_hugepage is `never`, as in most
systems, and to write an image there takes two and a half times as long, whoever writes it.
"""

from __future__ import annotations

import math
import mmap
import multiprocessing
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from tests.benchmarks.vector_async import CORES, THEIRS, maker

import gymkernel
from gymkernel import plugins
from gymkernel.rollouts import collect
from gymkernel.vector import SyncVectorEnv

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measure import Bench

__all__ = ["run"]

ENVS = 64
LENGTH = 128
SHARDS = min(CORES, 2)
IMAGES = ("84x84x4 uint8", "84x84x4 uint8, drawn anew")
NAMES = (THEIRS, "CartPole", "100 us of work", "1 ms of work, exponential", *IMAGES)
WARM_UP = 2
"""Fragments of each shard before time is taken."""
LOCAL = 0.95
"""Share of the ideal aimed at in processes of one machine."""
RAY = {THEIRS: 0.9, "100 us of work": 0.95, "1 ms of work, exponential": 0.98, **dict.fromkeys(IMAGES, 0.6)}
WEIGHTS = np.random.default_rng(0).normal(size=(4, 2))


def policy(observations: Any) -> Any:
    """A small one: two scores of four numbers, with the better one's as an extra."""
    scores = observations.reshape(len(observations), -1)[:, :4] @ WEIGHTS
    return scores.argmax(1), {"values": scores.max(1)}


def plain(make: Any, seeds: range, rows: int, fragments: int, shared: bool, meet: Any, results: Any) -> None:
    """A process of the ideal: a loop as one writes it, into arrays that it uses again."""
    n = len(seeds)
    envs: Any = SyncVectorEnv([make] * n, autoreset_mode="SameStep")
    observations, _ = envs.reset(seed=list(seeds))
    shape, dtype = (rows, *observations.shape), observations.dtype
    memory: Any = mmap.mmap(-1, math.prod(shape) * dtype.itemsize) if shared else None
    seen = np.empty(shape, dtype) if memory is None else np.ndarray(shape, dtype, memory)
    acted, rewards, values = np.empty((rows, n), np.int64), np.empty((rows, n)), np.empty((rows, n))
    ended, cut = np.empty((rows, n), bool), np.empty((rows, n), bool)
    for turn in range(WARM_UP + fragments):
        if turn == WARM_UP:
            meet.wait()
            began = time.perf_counter()
        for t in range(rows):
            seen[t] = observations
            acted[t], extras = policy(observations)
            values[t] = extras["values"]
            observations, rewards[t], ended[t], cut[t], _ = envs.step(acted[t])
    results.put(time.perf_counter() - began)
    envs.close()


def seeds_of_shards() -> list[range]:
    """The seeds that the collector gives to the environments of each shard."""
    return [range(1 + ENVS * k // SHARDS, 1 + ENVS * (k + 1) // SHARDS) for k in range(SHARDS)]


def ideal(make: Any, rows: int, fragments: int, *, shared: bool = False) -> float:
    """Seconds of a step with nothing handed over."""
    context = multiprocessing.get_context("fork")
    meet, results = context.Barrier(SHARDS), context.SimpleQueue()
    arguments = (rows, fragments, shared, meet, results)
    processes = [context.Process(target=plain, args=(make, seeds, *arguments)) for seeds in seeds_of_shards()]
    for process in processes:
        process.start()
    taken = [results.get() for _ in processes]
    for process in processes:
        process.join()
    return float(sum(taken) / len(taken) / (rows * ENVS * fragments))


def collected(make: Any, rows: int, fragments: int, **options: Any) -> float:
    """Seconds of a step of a collector, once it runs."""
    with collect([make] * ENVS, policy, fragment_length=rows, seed=1, num_shards=SHARDS, **options) as collector:
        for _ in range(WARM_UP * SHARDS):
            next(collector)
        began = time.perf_counter()
        for _ in range(SHARDS * fragments):
            next(collector)
        return (time.perf_counter() - began) / (rows * ENVS * fragments)


def run(bench: Bench) -> None:
    """All of it."""
    engines: dict[str, dict[str, Any]] = {"async": {"engine": "async"}}
    ray = _ray()
    if ray is not None:
        engines["Ray"] = {"engine": "ray"}
        engines["Ray, through its store"] = {"engine": "ray", "shared_memory": False}
    bench.section(f"Rollouts: {ENVS} environments in {SHARDS} shards, fragments of {LENGTH} steps, time of one step")
    for name in NAMES:
        if name == THEIRS and not plugins.adapters("gymnasium.spaces.space.Space"):
            print(f"{THEIRS}: needs gymkernel-bridge-gymnasium")
            continue
        make, slow = maker(gymkernel, name), "work" in name
        fragments = 2 if slow else 8
        calls: list[Callable[[], float]] = [partial(ideal, make, LENGTH, fragments)]
        calls += [partial(collected, make, LENGTH, fragments, **options) for options in engines.values()]
        calls += [partial(ideal, make, LENGTH, fragments, shared=True)] if name in IMAGES else []
        best, *times = bench.rounds(calls, 3 if slow else 5)
        shared = times.pop() if name in IMAGES else None
        if shared is not None:
            bench.add(f"{name}, ideal in shared memory", (shared, best), against="ideal")
        for (engine, options), taken in zip(engines.items(), times, strict=True):
            target = {"async": LOCAL, "Ray": RAY.get(name)}.get(engine)
            bench.add(f"{name}, {engine}", (taken, best), target, against="ideal")
            if shared is not None and options.get("shared_memory", True):
                bench.add(f"{name}, {engine}", (taken, shared), against="shared")
    if ray is not None:
        ray.shutdown()


def _ray() -> Any:
    """Ray, with a cluster of this machine whose processes have no lower priority than others; None without it."""
    try:
        import ray
    except ImportError:
        print("Ray: not installed")
        return None
    import os

    os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - its name
    ray.init(num_cpus=max(CORES, SHARDS), include_dashboard=False, log_to_driver=False)
    return ray
