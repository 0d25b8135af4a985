"""Functions that measure how fast environments can be stepped, created and rendered."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from gymkernel.vector_env import AutoresetMode

__all__ = ["benchmark_init", "benchmark_render", "benchmark_step", "benchmark_vector_step"]


def benchmark_step(env: Any, target_duration: float = 5, seed: int | None = None) -> float:
    """Measure how many steps per second an environment performs with random actions. The time includes resets.

    Args:
        env: the environment to measure.
        target_duration: the duration of the measurement in seconds. If 0, a single step is measured.
        seed: the seed for the first reset and for sampling the actions.

    >>> from gymkernel import Env, Space
    >>> class Still(Env):
    ...     action_space = Space()
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return 0, {}
    ...
    ...     def step(self, action):
    ...         return 0, 0.0, False, False, {}
    >>> Still.action_space.sample = lambda: 0
    >>> benchmark_step(Still(), target_duration=0.01) > 0
    True
    """
    env.action_space.seed(seed)
    env.reset(seed=seed)
    sample, step = env.action_space.sample, env.step

    def run_once() -> int:
        _, _, terminated, truncated, _ = step(sample())
        if terminated or truncated:
            env.reset()
        return 1

    return _measure_rate(run_once, target_duration)


def benchmark_vector_step(env: Any, target_duration: float = 5, seed: int | None = None) -> float:
    """Measure the total number of steps per second of all environments. Steps that reset an environment do not count.

    Args:
        env: the vector environment to measure, in any autoreset mode.
        target_duration: the duration of the measurement in seconds. If 0, a single step is measured.
        seed: the seed for the resets and for sampling the actions.
    """
    mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
    mode = AutoresetMode(getattr(mode, "value", mode))
    env.action_space.seed(seed)
    env.reset(seed=seed)
    env.step(env.action_space.sample())  # the first step may be slow because of one-time setup
    env.reset(seed=seed)
    resetting = 0

    def run_once() -> int:
        nonlocal resetting
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        done = np.logical_or(terminated, truncated)
        count: int = env.num_envs - resetting
        if mode is AutoresetMode.NEXT_STEP:
            resetting = int(np.count_nonzero(done))
        elif mode is AutoresetMode.DISABLED and done.any():
            env.reset(options={"reset_mask": done})
        return count

    return _measure_rate(run_once, target_duration)


def benchmark_init(env_lambda: Callable[[], Any], target_duration: float = 5, seed: int | None = None) -> float:
    """Measure how many environments per second can be constructed, reset once and closed.

    Args:
        env_lambda: a function that creates an environment.
        target_duration: the duration of the measurement in seconds.
        seed: the seed for each environment's reset.
    """

    def run_once() -> int:
        env = env_lambda()
        env.reset(seed=seed)
        env.close()
        return 1

    return _measure_rate(run_once, target_duration)


def benchmark_render(env: Any, target_duration: float = 5) -> float:
    """Measure how many frames per second an environment renders. No steps are taken between frames.

    Args:
        env: an environment that has been reset and whose render mode is not "human".
        target_duration: the duration of the measurement in seconds.
    """
    if env.render_mode in {None, "human"}:
        raise ValueError(
            f"benchmark_render expects an environment whose render method returns frames, "
            f"got render_mode={env.render_mode!r}"
        )

    def run_once() -> int:
        env.render()
        return 1

    return _measure_rate(run_once, target_duration)


def _measure_rate(run_once: Callable[[], int], seconds: float) -> float:
    """Call `run_once` repeatedly for the given time, but at least once, and return the sum of its results per second.

    The time is read from `time.time`, as in Gymnasium's benchmarks, because some programs replace this function.
    """
    if not seconds >= 0:
        raise ValueError(f"Expected target_duration to be at least 0 seconds, got {seconds!r}")
    count = 0
    start = time.time()
    while True:
        count += run_once()
        elapsed = time.time() - start
        if elapsed >= seconds and elapsed > 0:
            return count / elapsed
