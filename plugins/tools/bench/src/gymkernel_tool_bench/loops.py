"""Loops that step a single environment or a vector environment, and `look_at`, which measures a single environment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from gymkernel_tool_bench.records import Alone

if TYPE_CHECKING:
    from gymkernel_tool_bench.meters import Meters

__all__ = ["Loop", "actions_of", "look_at", "many", "single"]

SLICE: Final = 2e-4
"""The minimum time in seconds between two readings of the clock. Reading the clock takes as long as a fast step."""
MIN_RESETS: Final = 3
"""The minimum number of measured resets, even if episodes rarely end."""
MIN_STEPS: Final = 3
MAX_STEPS: Final = 20_000
MAX_CONSTRUCTIONS: Final = 5


@dataclass(slots=True)
class Loop:
    """A loop that steps environments for a given duration, and can be run repeatedly.

    Attributes:
        advance: a function that runs a given number of turns. In each turn, every environment takes a step.
        size: the number of environments, which is also the number of steps per turn.
        close: a function that closes the environments.
        chunk: the number of turns between two readings of the clock.
    """

    advance: Callable[[int], None]
    size: int
    close: Callable[[], Any]
    chunk: int = 1

    def run(self, seconds: float, wall: Callable[[], float]) -> float:
        """Run the loop for a given duration, or for one turn if that takes longer.

        Return the number of steps per second.

        Args:
            seconds: the duration in seconds.
            wall: a function that returns the wall-clock time in seconds.
        """
        turns, start = 0, wall()
        while True:
            self.advance(self.chunk)
            turns += self.chunk
            elapsed = wall() - start
            if elapsed >= seconds:
                return self.size * turns / elapsed if elapsed > 0 else 0.0

    def warm_up(self, seconds: float, wall: Callable[[], float]) -> None:
        """Run the loop for a given duration to warm it up, and determine how often to read the clock.

        Args:
            seconds: the duration in seconds.
            wall: a function that returns the wall-clock time in seconds.
        """
        speed = self.run(seconds, wall)
        self.chunk = max(1, min(256, int(SLICE * speed / self.size)))


def actions_of(space: Any, seed: int, number: int) -> Iterator[Any]:
    """Sample a given number of actions in advance and repeat them endlessly, so that sampling is not measured.

    Args:
        space: the action space.
        seed: the seed for sampling.
        number: the number of actions to sample.
    """
    space.seed(seed)
    return cycle([space.sample() for _ in range(number)])


def single(env: Any, seed: int) -> Loop:
    """Return a loop that steps a single environment. A reset after an episode counts as a turn, as in NEXT_STEP mode.

    Args:
        env: the environment.
        seed: the seed of the first reset and of the actions.
    """
    actions = actions_of(env.action_space, seed, 256)
    step, reset = env.step, env.reset
    reset(seed=seed)
    done = False

    def advance(turns: int) -> None:
        nonlocal done
        for _ in range(turns):
            if done:
                reset()
                done = False
            else:
                _, _, terminated, truncated, _ = step(next(actions))
                done = terminated or truncated

    return Loop(advance, 1, env.close)


def many(envs: Any, seed: int) -> Loop:
    """Return a loop that steps a vector environment. In DISABLED mode, the loop resets environments with a mask.

    Args:
        envs: the vector environment.
        seed: the seed of the first reset and of the actions.
    """
    actions = actions_of(envs.action_space, seed, 16)
    step, reset = envs.step, envs.reset
    reset(seed=seed)
    mode = getattr(envs, "metadata", {}).get("autoreset_mode")

    def advance(turns: int) -> None:
        for _ in range(turns):
            step(next(actions))

    def advance_and_reset(turns: int) -> None:
        for _ in range(turns):
            _, _, terminations, truncations, _ = step(next(actions))
            done = terminations | truncations
            if done.any():
                reset(options={"reset_mask": done})

    by_hand = getattr(mode, "name", mode) in {"DISABLED", "Disabled"}
    return Loop(advance_and_reset if by_hand else advance, envs.num_envs, envs.close)


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
