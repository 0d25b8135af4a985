"""The function `look_at`, which measures a single environment without a backend."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from gymkernel_tool_bench.loops import Loop, actions_of, single
from gymkernel_tool_bench.records import Alone

if TYPE_CHECKING:
    from gymkernel_tool_bench.meters import Meters

__all__ = ["look_at"]

MIN_RESETS: Final = 3
"""The minimum number of measured resets, even if episodes rarely end."""
MIN_STEPS: Final = 3
MAX_STEPS: Final = 20_000
MAX_CONSTRUCTIONS: Final = 5


def look_at(make: Callable[[], Any], seed: int, seconds: float, meters: Meters) -> Alone:
    """Measure how long it takes to create, reset and step a single environment.

    Exceptions raised by the environment propagate.

    Args:
        make: a function that creates the environment.
        seed: the seed of the first reset and of the actions.
        seconds: the approximate duration of each of the three parts of the measurement, in seconds.
        meters: the clocks and the memory counter to use.
    """
    env, construct_first = _timed(make, meters)
    try:
        construct, memory = _measure_construction(make, seed, seconds, meters)
        resets, steps = _time_resets_and_steps(env, seed, seconds, meters)
        loop = single(env, seed)
        loop.warm_up(seconds / 10, meters.wall)
        speed, share = _measure_loop(loop, seconds, meters)
    finally:
        env.close()
    p95 = sorted(steps)[int(0.95 * (len(steps) - 1))]
    return Alone(speed, median(steps), p95, median(resets), construct_first, construct, share, memory)


def _timed(make: Callable[[], Any], meters: Meters) -> tuple[Any, float]:
    start = meters.wall()
    made = make()
    return made, meters.wall() - start


def _measure_construction(
    make: Callable[[], Any], seed: int, seconds: float, meters: Meters
) -> tuple[float, int | None]:
    """Return the median time for creating another environment, and how much memory it uses after a reset."""
    before, times, memory = meters.memory(), list[float](), None
    while not times or (len(times) < MAX_CONSTRUCTIONS and sum(times) < seconds):
        env, took = _timed(make, meters)
        times.append(took)
        try:
            if memory is None and before is not None:
                env.reset(seed=seed)
                memory = max((meters.memory() or before) - before, 0)
        finally:
            env.close()
    return median(times), memory


def _time_resets_and_steps(env: Any, seed: int, seconds: float, meters: Meters) -> tuple[list[float], list[float]]:
    """Return the durations of individual resets and individual steps."""
    wall, resets, steps, done = meters.wall, list[float](), list[float](), True
    actions = actions_of(env.action_space, seed, 256)
    env.reset(seed=seed)
    start = wall()
    while len(steps) < MIN_STEPS or (len(steps) < MAX_STEPS and wall() - start < seconds):
        if done or len(resets) < MIN_RESETS:
            before = wall()
            env.reset()
            resets.append(wall() - before)
        action = next(actions)
        before = wall()
        _, _, terminated, truncated, _ = env.step(action)
        steps.append(wall() - before)
        done = terminated or truncated
    return resets, steps


def _measure_loop(loop: Loop, seconds: float, meters: Meters) -> tuple[float, float]:
    """Return the number of steps per second, and the CPU time per second, excluding time spent waiting for a core."""
    wall, cpu, queued = meters.wall(), meters.cpu(), meters.queued()
    speed = loop.run(seconds, meters.wall)
    cpu, queued, wall = meters.cpu() - cpu, meters.queued() - queued, meters.wall() - wall
    return speed, cpu / max(wall - queued, cpu, 1e-9) if cpu <= wall else cpu / wall
