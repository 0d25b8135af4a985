"""Loops that step a single environment or a vector environment with actions that were sampled in advance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Final

__all__ = ["Loop", "actions_of", "many", "single"]

SLICE: Final = 2e-4
"""The minimum time in seconds between two readings of the clock. Reading the clock takes as long as a fast step."""


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
