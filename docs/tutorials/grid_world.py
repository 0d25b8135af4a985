"""An environment with a defect, because it returns the array that contains its own state."""

from __future__ import annotations

from typing import Any

import numpy as np

import gymkernel as gym
from gymkernel.spaces import Box, Discrete

MOVES = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])


class GridWorld(gym.Env[Any, int]):
    """A grid on which an agent walks to the top right corner."""

    def __init__(self, size: int = 5) -> None:
        self.size = size
        self.action_space = Discrete(4)
        self.observation_space = Box(0, size - 1, (2,), np.int64)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Start anywhere but in the corner."""
        super().reset(seed=seed)
        self.place = self.np_random.integers(self.size - 1, size=2)
        return self.place, {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Walk one square."""
        self.place += MOVES[action]
        np.clip(self.place, 0, self.size - 1, out=self.place)
        there = bool((self.place == self.size - 1).all())
        return self.place, float(there), there, False, {}
