"""Benchmarks of the classic control environments: single, vectorised with NumPy, and vectorised with compiled code."""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from tests.benchmarks.measure import per_call

import gymkernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.benchmarks.measure import Bench

__all__ = ["run"]

SINGLE = {
    "CartPole-v1": 4.0,
    "MountainCar-v0": 6.0,
    "MountainCarContinuous-v0": None,  # Gymnasium computes with float32 scalars, and the results must be equal
    "Pendulum-v1": 4.0,
    "Acrobot-v1": 3.0,
}
"""The target speed-ups of a single step."""
SIZES = (8, 64, 1024)


def run(bench: Bench) -> None:
    """Measure steps of single environments and of vectorised environments (NumPy and compiled), and rendering."""
    bench.section("Classic control, time of a step of one environment, resets included")
    for env_id, target in SINGLE.items():
        envs = [library.make(env_id, disable_env_checker=True) for library in (gymkernel, gymnasium)]
        bench.add(env_id, bench.rounds([single(env) for env in envs], 9), target)
    bench.section("Classic control, NumPy forms against Gymnasium's synchronous backend, time of a vector step")
    for env_id in SINGLE:
        for n in SIZES:
            ours = gymkernel.make_vec(env_id, n, "vector_entry_point")
            theirs = gymnasium.make_vec(env_id, n, "sync")
            bench.add(
                f"{env_id}, {n}", bench.rounds([steps(item) for item in (ours, theirs)], 5), 5.0 if n >= 64 else None
            )
    if find_spec("numba") is not None:
        bench.section("Classic control, compiled forms against the NumPy forms, time of a vector step")
        for env_id in SINGLE:
            for n in SIZES:
                envs = [gymkernel.make_vec(name, n, "vector_entry_point") for name in (f"numba/{env_id}", env_id)]
                times = bench.rounds([steps(item) for item in envs], 9)
                target = (3.0 if env_id == "CartPole-v1" else 2.5) if n == 64 else None
                bench.add(f"{env_id}, {n}", times, target, against="NumPy")
    if find_spec("pygame") is not None:
        bench.section("Classic control, time of a picture")
        for env_id in SINGLE:
            envs = [library.make(env_id, render_mode="rgb_array") for library in (gymkernel, gymnasium)]
            for env in envs:
                env.reset(seed=1)
            bench.faster(env_id, [env.render for env in envs], n=5)


def single(env: Any) -> Callable[[], float]:
    """Return a function that steps with precomputed actions and resets at the end of each episode."""
    env.action_space.seed(1)
    env.reset(seed=1)
    actions = [env.action_space.sample() for _ in range(100)]
    position = 0

    def step() -> None:
        nonlocal position
        position = (position + 1) % 100
        _, _, terminated, truncated, _ = env.step(actions[position])
        if terminated or truncated:
            env.reset()

    return partial(per_call, step)


def steps(envs: Any) -> Callable[[], float]:
    """Return a function that makes vector steps with precomputed actions."""
    envs.reset(seed=1)
    space, rng = envs.single_action_space, np.random.default_rng(0)
    if space.shape:
        rows: Any = (rng.uniform(-1, 1, (100, envs.num_envs, 1)) * space.high).astype(np.float32)
    else:
        rows = rng.integers(0, space.n, (100, envs.num_envs))
    position = 0

    def step() -> None:
        nonlocal position
        position = (position + 1) % 100
        envs.step(rows[position])

    step()  # compiles
    return partial(per_call, step)
