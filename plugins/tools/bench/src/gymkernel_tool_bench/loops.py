"""Loops that step environments, one or many, with actions drawn beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Final

__all__ = ["Loop", "actions_of", "many", "single"]

SLICE: Final = 2e-4
"""Seconds between two looks at the clock, where steps are shorter: looking costs as much as a cheap step."""


@dataclass(slots=True)
class Loop:
    """Something to run again and again for a while.

    Attributes:
        advance: takes that many turns; a turn is a step of every environment.
        size: environments, so steps in a turn.
        close: gives back what the loop holds.
        chunk: turns between two looks at the clock.
    """

    advance: Callable[[int], None]
    size: int
    close: Callable[[], Any]
    chunk: int = 1

    def run(self, seconds: float, wall: Callable[[], float]) -> float:
        """Run for that long, at least one turn; return steps per second."""
        turns, start = 0, wall()
        while True:
            self.advance(self.chunk)
            turns += self.chunk
            elapsed = wall() - start
            if elapsed >= seconds:
                return self.size * turns / elapsed if elapsed > 0 else 0.0

    def warm_up(self, seconds: float, wall: Callable[[], float]) -> None:
        """Run for that long, and settle how often to look at the clock."""
        speed = self.run(seconds, wall)
        self.chunk = max(1, min(256, int(SLICE * speed / self.size)))


def actions_of(space: Any, seed: int, number: int) -> Iterator[Any]:
    """So many random actions, over and over: drawing them is no part of the measurement."""
    space.seed(seed)
    return cycle([space.sample() for _ in range(number)])


def single(env: Any, seed: int) -> Loop:
    """One environment, reset in a turn of its own after each episode, as backends do under NEXT_STEP."""
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
    """A vector environment; one that never resets by itself is reset by mask."""
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
