"""Benchmarks of the bridge to EnvPool, compared with calls of the same pool without the bridge."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Any

import gymkernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measure import Bench

__all__ = ["run"]

TASKS = ("CartPole-v1", "LunarLander-v3", "HalfCheetah-v4")
SHARE = 1.03
"""The highest acceptable time of a step, as a multiple of EnvPool's own time."""
SECONDS = 0.01
"""The blocks are short and numerous, so that other programs on the machine disturb both libraries equally."""


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
    envs.action_space.seed(1)
    actions = envs.action_space.sample()
    if batch_size is None:
        envs.reset()
    else:
        envs.async_reset()
    # Both sides use the same pool, because two pools of the same size differ by more than 3 % (thread placement).
    steps = [_stepper(each, actions, batch_size) for each in (envs, envs.pool)]
    times = bench.rounds([partial(_per_call, step) for step in steps], 301)
    kind = "step" if batch_size is None else f"send and recv of {batch_size}"
    bench.add(f"{task}, {num_envs} environments, {kind}", times, SHARE, against="envpool", share=True)
    envs.close()


def _stepper(envs: Any, actions: Any, batch_size: int | None) -> Callable[[], Any]:
    """Return a function that performs one step of a pool or of the bridge, which have the same methods."""
    if batch_size is None:
        return partial(envs.step, actions)
    chosen = actions[:batch_size]
    return lambda: envs.send(chosen, envs.recv()[-1]["env_id"])


def _per_call(step: Callable[[], Any]) -> float:
    """Return the wall-clock time of a step, measured over a block of steps."""
    count, start = 0, time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        for _ in range(4):
            step()
        count += 4
    return (time.perf_counter() - start) / count
