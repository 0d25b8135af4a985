"""An environment whose step computes for about 0.1 ms."""

from __future__ import annotations

from typing import Any

import numpy as np

import gymkernel as gym
from gymkernel.spaces import Box, Discrete


class Busy(gym.Env[Any, int]):
    """An environment that adds numbers for about 0.1 ms per step."""

    def __init__(self) -> None:
        self.observation_space, self.action_space = Box(0, 1, (4,)), Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict[str, Any]]:
        """Start an episode."""
        super().reset(seed=seed)
        return np.zeros(4, np.float32), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Add numbers."""
        sum(range(8000))
        return self.np_random.random(4, np.float32), 0.0, False, False, {}
