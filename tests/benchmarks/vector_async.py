"""Benchmarks of the asynchronous backend: six workloads, start and memory, environments that wait, and `recv`."""

from __future__ import annotations

import functools
import multiprocessing
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from tests.benchmarks import peers
from tests.benchmarks.libraries import IMAGE, NESTED, VECTOR, has, noop

import gymkernel
from gymkernel import plugins
from gymkernel.vector import AsyncVectorEnv
from gymkernel_util_vector.cores import cores

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measure import Bench

__all__ = ["run"]

CORES = cores()
SIZES = (1, 8, 64, 256)
THEIRS = "CartPole of Gymnasium"
NAMES = (
    "no-op, Box(4)",
    THEIRS,
    "CartPole",
    "84x84x4 uint8",
    "nested Dict",
    "100 us of work",
    "1 ms of work, exponential",
)
TARGETS = {"no-op, Box(4)": 80, "84x84x4 uint8": 15, "nested Dict": 80}
"""Target speed-ups over Gymnasium's AsyncVectorEnv with 64 environments."""
SHARES = {THEIRS: 0.85, "100 us of work": 0.9, "1 ms of work, exponential": 0.95}
"""The fractions to reach of the ideal speed, which is that of the environments alone on all cores."""


def per_call(call: Callable[[], Any], seconds: float) -> float:
    """Return the wall-clock time of one call in seconds, because CPU time would not include the worker processes."""
    n = 1
    while True:
        began = time.perf_counter()
        for _ in range(n):
            call()
        elapsed = time.perf_counter() - began
        if elapsed >= seconds / 4:
            return elapsed / n
        n = max(2 * n, int(n * seconds / max(elapsed, 1e-9) / 2))


def working(library: Any, microseconds: float, *, exponential: bool = False, wait: bool = False) -> Any:
    """Return a class of environments whose steps compute, or wait, for a given time.

    The computation is measured in CPU time instead of in loop iterations: the same loop takes 10 to 20 % longer
    in some processes than in others, which is more than the measured differences.
    """

    class Working(noop(library)):  # type: ignore[misc]
        def step(self, action: Any) -> Any:
            seconds = (self.np_random.exponential() if exponential else 1.0) * microseconds / 1e6
            if wait:
                time.sleep(seconds)
            else:
                end = time.thread_time() + seconds
                while time.thread_time() < end:
                    pass
            return super().step(action)

    return Working


def showing(library: Any) -> Any:
    """Return a class of environments whose observation is always the same image, with one array per environment.

    The speed of a copy depends on the address of the array, so that one array for all environments would distort the
    result.
    """

    class Showing(noop(library, IMAGE)):  # type: ignore[misc]
        def __init__(self, render_mode: str | None = None) -> None:
            super().__init__(render_mode)
            self._image = np.random.default_rng(0).integers(0, 256, (84, 84, 4), np.uint8)

        def step(self, action: Any) -> Any:
            return self._image, *super().step(action)[1:]

    return Showing


def drawing(library: Any) -> Any:
    """Return a class of environments whose observation is a new image at each step, as in most environments."""

    class Drawing(noop(library, IMAGE)):  # type: ignore[misc]
        def step(self, action: Any) -> Any:
            image = self.np_random.integers(0, 256, (84, 84, 4), np.uint8)
            return image, *super().step(action)[1:]

    return Drawing


def maker(library: Any, name: str) -> Any:
    """Return a function that creates an environment for a workload."""
    return {  # type: ignore[no-untyped-call]
        "no-op, Box(4)": lambda: noop(library, VECTOR),
        THEIRS: lambda: functools.partial(gymnasium.make, "CartPole-v1"),
        "CartPole": lambda: functools.partial(library.make, "CartPole-v1"),
        "84x84x4 uint8": lambda: showing(library),
        "84x84x4 uint8, drawn anew": lambda: drawing(library),
        "nested Dict": lambda: noop(library, NESTED),
        "100 us of work": lambda: working(library, 100),
        "1 ms of work, exponential": lambda: working(library, 1000, exponential=True),
    }[name]()


def steps(envs: Any, n: int) -> Callable[[], float]:
    """Return the time of a vector step with precomputed actions."""
    envs.reset(seed=1)
    rows = np.random.default_rng(0).integers(0, 2, (100, n))
    position = 0

    def step() -> None:
        nonlocal position
        position = (position + 1) % 100
        envs.step(rows[position])

    return lambda: per_call(step, 0.1)


def alone(make: Any, n: int) -> Callable[[], float]:
    """Return the time of n steps of the environments without a vector environment, divided among one process per core.

    This is measured because cores that share a cache or a clock are slower together than a single core is.
    """
    context = multiprocessing.get_context("fork")

    def together() -> float:
        barrier, results = context.Barrier(min(CORES, n)), context.SimpleQueue()
        processes = [context.Process(target=_bare, args=(make, barrier, results)) for _ in range(min(CORES, n))]
        for process in processes:
            process.start()
        taken = [results.get() for _ in processes]
        for process in processes:
            process.join()
        return float(sum(taken) / len(taken) * n / len(processes))

    return together


def _bare(make: Any, barrier: Any, results: Any) -> None:
    env = make()
    env.reset(seed=1)
    actions = np.random.default_rng(0).integers(0, 2, 100).tolist()
    position = 0

    def step() -> None:
        nonlocal position
        position = (position + 1) % 100
        _, _, terminated, truncated, _ = env.step(actions[position])
        if terminated or truncated:
            env.reset()

    per_call(step, 0.02)
    barrier.wait()
    results.put(per_call(step, 0.1))


def run(bench: Bench) -> None:
    for n in SIZES:
        bench.section(f"AsyncVectorEnv, {n} environments, time of a vector step on {CORES} cores")
        for name in NAMES:
            if name == THEIRS and not plugins.providers("adapters", "gymnasium.spaces.space.Space"):
                print(f"{THEIRS}: needs gymkernel-bridge-gymnasium")
            elif name != "nested Dict" or has("Dict"):
                compare(bench, name, n)
    starting(bench)
    waiting(bench)
    receiving(bench)


def compare(bench: Bench, name: str, n: int) -> None:
    ours, peer = maker(gymkernel, name), maker(gymnasium, name)
    asynchronous = gymnasium.vector.AsyncVectorEnv
    made: dict[str, Any] = {
        "ours": AsyncVectorEnv([ours] * n),
        "views": AsyncVectorEnv([ours] * n, copy=False, ring=2),
        "share": AsyncVectorEnv([ours] * n, parent_steps=True),
        "our sync": gymkernel.vector.SyncVectorEnv([ours] * n),
        "sync": gymnasium.vector.SyncVectorEnv([peer] * n),
        "async": asynchronous([peer] * n),
        **peers.stable_baselines3(peer, n),
    }
    calls = [steps(envs, n) for envs in made.values()]
    calls.append(alone(ours, n))
    puffer = peers.pufferlib(peer, n, CORES)
    calls += [made_anew(make, n) for make in puffer.values()]
    times = dict(zip([*made, "ideal", *puffer], bench.rounds(calls, 5 if n > 64 else 7), strict=True))
    for envs in made.values():
        envs.close()
    at_64 = n == 64
    bench.add(name, (times["ours"], times["async"]), TARGETS.get(name) if at_64 else None, against="async")
    if name in {"84x84x4 uint8", "nested Dict"}:
        target = 40 if at_64 and name != "nested Dict" else None
        bench.add(f"{name}, views", (times["views"], times["async"]), target, against="async")
    bench.add(f"{name}, the parent steps too", (times["share"], times["async"]), against="async")
    bench.add(f"{name}, ideal", (times["ours"], times["ideal"]), SHARES.get(name) if at_64 else None, against="ideal")
    if name == THEIRS:
        bench.add(
            f"{name}, the parent, ideal", (times["share"], times["ideal"]), 0.95 if at_64 else None, against="ideal"
        )
    bench.add(f"{name}, our sync", (times["ours"], times["our sync"]), 0.9 if n == 8 else None, against="our sync")
    for other in ("sync", "SB3 dummy", "SB3 subproc"):
        if other in times:
            bench.add(f"{name}, {other}", (times["ours"], times[other]), against=other)
    if puffer:
        best = min(puffer, key=lambda other: times[other])
        bench.add(f"{name}, {best}", (times["views"], times[best]), 1 if at_64 else None, against="PufferLib")


def made_anew(make: Callable[[], Any], n: int) -> Callable[[], float]:
    """Return the time of a vector step. The environments are created for this measurement and closed afterwards."""

    def timed() -> float:
        envs = make()
        try:
            return steps(envs, n)()
        finally:
            envs.close()

    return timed


def memory() -> int:
    """Return the memory usage of this process and its children in bytes, counting shared pages once."""
    total = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            if int(process.name) == os.getpid() or int(fields[1]) == os.getpid():
                lines = (process / "smaps_rollup").read_text(encoding="ascii").splitlines()
                total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
        except (OSError, StopIteration):
            continue
    return total


def starting(bench: Bench) -> None:
    """Measure the time to create and to close environments, and the memory they use, compared with Gymnasium."""
    for n in (64, 256):
        bench.section(f"{n} CartPoles: making, closing, memory (in GB, shown as seconds)")
        made: list[list[tuple[float, float, float]]] = [[], []]
        for _ in range(3):
            for figures, library in zip(made, (gymkernel, gymnasium), strict=True):
                fns = [functools.partial(library.make, "CartPole-v1")] * n
                before, began = memory(), time.perf_counter()
                envs = library.vector.AsyncVectorEnv(fns)
                envs.reset(seed=1)
                ready = time.perf_counter()
                added, ending = memory() - before, time.perf_counter()
                envs.close()
                figures.append((ready - began, time.perf_counter() - ending, added / 1e9))
        for k, (what, target) in enumerate((("making", 0.15), ("closing", None), ("memory", 0.15))):
            times = [sorted(figure[k] for figure in figures)[1] for figures in made]
            bench.add(f"{what}, {n}", times, target, share=True)


def waiting(bench: Bench) -> None:
    """Measure environments whose steps wait for 1 ms, with the recommended number of workers."""
    bench.section("64 environments that wait for 1 ms a step")
    ours = AsyncVectorEnv([working(gymkernel, 1000, wait=True)] * 64, num_workers="auto")
    peer = gymnasium.vector.AsyncVectorEnv([working(gymnasium, 1000, wait=True)] * 64)
    bench.add(
        f"{ours.num_workers} workers, by num_workers='auto'", bench.rounds([steps(ours, 64), steps(peer, 64)], 7), 2
    )
    ours.close()
    peer.close()


def receiving(bench: Bench) -> None:
    """Compare steps that receive two half batches with `recv` to ordinary steps of all 64 environments."""
    bench.section("send and recv of half the batch, 64 environments, time of 64 steps")
    for name, wait in (("1 ms of work, exponential", False), ("1 ms of waiting, exponential", True)):
        make = working(gymkernel, 1000, exponential=True, wait=wait)
        whole, half = (AsyncVectorEnv([make] * 64, num_workers="auto") for _ in range(2))
        half.reset(seed=1)

        def turn(half: Any = half) -> None:
            if not half._pending.count:
                half.send(np.zeros(64, np.int64))
            for _ in range(2):
                half.send(np.zeros(32, np.int64), half.recv(32)[-1])

        def received(half: Any = half, turn: Any = turn) -> float:
            taken = per_call(turn, 0.3)
            half.recv()
            return taken

        bench.add(name, bench.rounds([received, steps(whole, 64)], 5), 1.3, against="step")
        whole.close()
        half.close()
