"""How often in a second: steps, constructions and frames of an environment."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from gymkernel.vector_env import AutoresetMode

__all__ = ["benchmark_init", "benchmark_render", "benchmark_step", "benchmark_vector_step"]


def benchmark_step(env: Any, target_duration: float = 5, seed: int | None = None) -> float:
    """Steps per second with random actions; resets at the end of episodes are part of the time.

    Args:
        env: the environment.
        target_duration: seconds after which no further step is taken; 0 for a single step.
        seed: of the first reset and of the actions.

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
    _check(target_duration)
    env.action_space.seed(seed)
    env.reset(seed=seed)
    sample, step = env.action_space.sample, env.step

    def once() -> int:
        _, _, terminated, truncated, _ = step(sample())
        if terminated or truncated:
            env.reset()
        return 1

    return _per_second(once, target_duration)


def benchmark_vector_step(env: Any, target_duration: float = 5, seed: int | None = None) -> float:
    """Steps per second of single environments, with random actions; what only resets is not counted.

    Args:
        env: the vector environment, in any autoreset mode.
        target_duration: seconds after which no further step is taken; 0 for a single step.
        seed: of the reset and of the actions.
    """
    _check(target_duration)
    mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
    mode = AutoresetMode(getattr(mode, "value", mode))
    env.action_space.seed(seed)
    env.reset(seed=seed)
    env.step(env.action_space.sample())  # whatever happens the first time
    env.reset(seed=seed)
    resetting = 0

    def once() -> int:
        nonlocal resetting
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        done = np.logical_or(terminated, truncated)
        acted: int = env.num_envs - resetting
        if mode is AutoresetMode.NEXT_STEP:
            resetting = int(np.count_nonzero(done))
        elif mode is AutoresetMode.DISABLED and done.any():
            env.reset(options={"reset_mask": done})
        return acted

    return _per_second(once, target_duration)


def benchmark_init(env_lambda: Callable[[], Any], target_duration: float = 5, seed: int | None = None) -> float:
    """Constructions with their first reset per second; every environment is closed, which is part of the time.

    Args:
        env_lambda: makes an environment.
        target_duration: seconds after which none is made any more.
        seed: of each first reset.
    """
    _check(target_duration)

    def once() -> int:
        env = env_lambda()
        env.reset(seed=seed)
        env.close()
        return 1

    return _per_second(once, target_duration)


def benchmark_render(env: Any, target_duration: float = 5) -> float:
    """Frames per second, all of one state.

    Args:
        env: the environment, with a render mode other than "human", reset.
        target_duration: seconds after which no further frame is drawn.
    """
    _check(target_duration)
    if env.render_mode in {None, "human"}:
        raise ValueError(
            f"benchmark_render expects an environment that returns its frames, got render_mode={env.render_mode!r}"
        )

    def once() -> int:
        env.render()
        return 1

    return _per_second(once, target_duration)


def _check(target_duration: float) -> None:
    if not target_duration >= 0:
        raise ValueError(f"Expected target_duration to be a number of seconds of at least 0, got {target_duration!r}")


def _per_second(once: Callable[[], int], seconds: float) -> float:
    """Call `once` until the seconds are over, at least once, and return the sum of what it returned by the second.

    The clock is the one that Gymnasium's benchmarks read, for programs that replace it.
    """
    count = 0
    start = time.time()
    while True:
        count += once()
        elapsed = time.time() - start
        if elapsed >= seconds and elapsed > 0:
            return count / elapsed
