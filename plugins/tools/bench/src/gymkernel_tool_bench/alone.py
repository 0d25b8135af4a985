"""What one environment costs by itself: making it, resetting it, a step, and whether a step computes or waits."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from gymkernel_tool_bench.loops import Loop, actions_of, single
from gymkernel_tool_bench.records import Alone

if TYPE_CHECKING:
    from gymkernel_tool_bench.meters import Meters

__all__ = ["look_at"]

RESETS: Final = 3
"""As many at least, however rarely an episode ends."""
STEPS: Final = 3
MOST_STEPS: Final = 20_000
MOST_MADE: Final = 5


def look_at(make: Callable[[], Any], seed: int, seconds: float, meters: Meters) -> Alone:
    """Make and step an environment, with each of three measurements `seconds` long.

    Whatever the environment raises goes through.
    """
    env, construct_first = _timed(make, meters)
    try:
        construct, memory = _another(make, seed, seconds, meters)
        resets, steps = _one_by_one(env, seed, seconds, meters)
        loop = single(env, seed)
        loop.warm_up(seconds / 10, meters.wall)
        speed, share = _loop(loop, seconds, meters)
    finally:
        env.close()
    p95 = sorted(steps)[int(0.95 * (len(steps) - 1))]
    return Alone(speed, median(steps), p95, median(resets), construct_first, construct, share, memory)


def _timed(make: Callable[[], Any], meters: Meters) -> tuple[Any, float]:
    start = meters.wall()
    made = make()
    return made, meters.wall() - start


def _another(make: Callable[[], Any], seed: int, seconds: float, meters: Meters) -> tuple[float, int | None]:
    """How long it takes to make another one, and what it holds once it was reset."""
    before, times, memory = meters.memory(), list[float](), None
    while not times or (len(times) < MOST_MADE and sum(times) < seconds):
        env, took = _timed(make, meters)
        times.append(took)
        try:
            if memory is None and before is not None:
                env.reset(seed=seed)
                memory = max((meters.memory() or before) - before, 0)
        finally:
            env.close()
    return median(times), memory


def _one_by_one(env: Any, seed: int, seconds: float, meters: Meters) -> tuple[list[float], list[float]]:
    """The times of resets and of steps, each between two looks at the clock."""
    wall, resets, steps, done = meters.wall, list[float](), list[float](), True
    actions = actions_of(env.action_space, seed, 256)
    env.reset(seed=seed)
    start = wall()
    while len(steps) < STEPS or (len(steps) < MOST_STEPS and wall() - start < seconds):
        if done or len(resets) < RESETS:
            before = wall()
            env.reset()
            resets.append(wall() - before)
        action = next(actions)
        before = wall()
        _, _, terminated, truncated, _ = env.step(action)
        steps.append(wall() - before)
        done = terminated or truncated
    return resets, steps


def _loop(loop: Loop, seconds: float, meters: Meters) -> tuple[float, float]:
    """Steps per second, and CPU time per wall time, without the time in which another program had the core."""
    wall, cpu, queued = meters.wall(), meters.cpu(), meters.queued()
    speed = loop.run(seconds, meters.wall)
    cpu, queued, wall = meters.cpu() - cpu, meters.queued() - queued, meters.wall() - wall
    return speed, cpu / max(wall - queued, cpu, 1e-9) if cpu <= wall else cpu / wall
