"""Benchmarks of the bridge to EnvPool, compared with EnvPool's own pools: synchronous and asynchronous, 64 and 256."""

from __future__ import annotations

import time
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import gymkernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measure import Bench

__all__ = ["run"]

TASKS = ("CartPole-v1", "LunarLander-v3", "HalfCheetah-v4")
SHARE = 1.03
"""The highest acceptable time of a step, as a multiple of EnvPool's own time."""
SECONDS = 0.1


def run(bench: Bench) -> None:
    """Compare the wall-clock time of a step, because the pools' threads step the environments."""
    bench.section("the bridge to EnvPool, time of a step")
    for task in TASKS:
        for num_envs in (64, 256):
            for batch_size in (None, num_envs // 2):
                _compare(bench, task, num_envs, batch_size)


def _compare(bench: Bench, task: str, num_envs: int, batch_size: int | None) -> None:
    options: dict[str, Any] = {} if batch_size is None else {"batch_size": batch_size}
    envs: Any = gymkernel.make_vec(f"envpool/{task}", num_envs, seed=1, **options)
    pool = import_module("envpool").make(task, "gymnasium", num_envs=num_envs, seed=1, **options)
    envs.action_space.seed(1)
    actions = envs.action_space.sample()
    steps = [_stepper(each, actions, batch_size) for each in (envs, pool)]
    times = bench.rounds([partial(_per_call, step) for step in steps], 41)
    kind = "step" if batch_size is None else f"send and recv of {batch_size}"
    bench.add(f"{task}, {num_envs} environments, {kind}", times, SHARE, against="envpool", share=True)
    envs.close()
    pool.close()


def _stepper(envs: Any, actions: Any, batch_size: int | None) -> Callable[[], Any]:
    """Return a function that performs one step of a pool or of the bridge, which have the same methods."""
    if batch_size is None:
        envs.reset()
        return partial(envs.step, actions)
    envs.async_reset()
    chosen = actions[:batch_size]
    return lambda: envs.send(chosen, envs.recv()[-1]["env_id"])


def _per_call(step: Callable[[], Any]) -> float:
    """Return the wall-clock time of a step, measured over a block of steps."""
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        for _ in range(8):
            step()
        count += 8
    return (time.perf_counter() - start) / count
