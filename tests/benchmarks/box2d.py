"""Benchmarks of the Box2D environments, compared with Gymnasium: single steps, images, and 64 environments."""

from __future__ import annotations

import time
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.benchmarks.environments import single

import gymkernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measure import Bench

__all__ = ["run"]

SINGLE = {
    "LunarLander-v3": 1.3,
    "LunarLanderContinuous-v3": 1.3,
    "BipedalWalker-v3": 1.3,
    "BipedalWalkerHardcore-v3": 1.3,
    "CarRacing-v3": 1.5,
}
"""The target speed-ups of a single step."""
MANY = ("LunarLander-v3", "BipedalWalker-v3")
TARGET = 2.0
"""The target speed-up of 64 environments in processes against Gymnasium's synchronous backend."""
STEPS = 25


def run(bench: Bench) -> None:
    """Measure steps of single environments in CPU time, and steps of 64 environments in wall-clock time."""
    # This import comes before Gymnasium's modules, because it hides the warnings that Box2D causes.
    import_module("gymkernel_env_box2d.engine")
    gymnasium = import_module("gymnasium")
    bench.section("Box2D, time of a step of one environment, resets included")
    for env_id, target in SINGLE.items():
        envs = [library.make(env_id, disable_env_checker=True) for library in (gymkernel, gymnasium)]
        bench.add(env_id, bench.rounds([single(env) for env in envs], 15), target)
    bench.section("Box2D, 64 environments: asynchronous backend against Gymnasium's synchronous backend")
    for env_id in MANY:
        ours = gymkernel.make_vec(env_id, 64, "async")
        theirs = gymnasium.make_vec(env_id, 64, "sync")
        bench.add(env_id, bench.rounds([_steps(envs) for envs in (ours, theirs)], 15), TARGET)
        ours.close()
        theirs.close()


def _steps(envs: Any) -> Callable[[], float]:
    """Return a function that measures the wall-clock time of a step of all environments."""
    envs.reset(seed=1)
    envs.action_space.seed(1)
    actions = [envs.action_space.sample() for _ in range(STEPS)]
    return partial(_time, envs, actions)


def _time(envs: Any, actions: list[Any]) -> float:
    start = time.perf_counter()
    for action in actions:
        envs.step(action)
    return (time.perf_counter() - start) / len(actions)
