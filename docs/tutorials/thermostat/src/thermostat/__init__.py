"""An environment that simulates a room with a heater."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.error import InvalidAction, ResetNeeded
from gymkernel.spaces import Box, Discrete

__all__ = ["THERMOSTAT", "ThermostatEnv"]


class ThermostatEnv(Env[NDArray[np.float32], int]):
    """Keep a room at 20 degrees, while it is cold and windy outside.

    Action, `Discrete(3)`: 0 is off, 1 low, 2 high.

    Observation, `Box` of 2 float32: the temperature minus 20 degrees (from -30 to 30), and the wind (from 0 to 1).

    Reward: 1 at 20 degrees, decreasing to 0 at a difference of 5 degrees, and a tenth less if the heater is on high.

    An episode does not end by itself. Truncation comes from `TimeLimit`, which `make` adds: 96 steps, one day.

    >>> import gymkernel as gym
    >>> env = gym.make(THERMOSTAT)
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(1)
    >>> 0 <= reward <= 1, terminated
    (True, False)
    """

    def __init__(self) -> None:
        self.action_space = Discrete(3)
        self.observation_space = Box(np.array([-30, 0], np.float32), np.array([30, 1], np.float32), dtype=np.float32)
        self.warmth: float | None = None
        self.wind = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start a day in a room that is too warm or too cold."""
        super().reset(seed=seed)
        self.warmth = float(self.np_random.uniform(-10, 10))
        self.wind = float(self.np_random.uniform())
        return self._observation(), {}

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Simulate a quarter of an hour."""
        if action not in self.action_space:
            raise InvalidAction(f"Expected the action 0, 1 or 2, got {action!r}")
        if self.warmth is None:
            raise ResetNeeded("step was called before reset; call reset first")
        outside = -15.0 - 10.0 * self.wind
        self.warmth += 0.05 * (outside - self.warmth) + (0.0, 1.2, 2.4)[int(action)]
        self.wind = min(1.0, max(0.0, self.wind + float(self.np_random.normal(0, 0.1))))
        reward = max(0.0, 1.0 - abs(self.warmth) / 5) * (0.9 if action == 2 else 1.0)
        return self._observation(), reward, False, False, {}

    def _observation(self) -> NDArray[np.float32]:
        return np.array([self.warmth, self.wind], np.float32)


THERMOSTAT = EnvSpec("lab/Thermostat-v0", entry_point=f"{__name__}:ThermostatEnv", max_episode_steps=96)
