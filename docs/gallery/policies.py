"""What acts in the pictures of the gallery: small policies that show what an environment is about.

Each is a class that is made with the environment and called with observations, as `gymkernel render --policy` takes it.
"""

from __future__ import annotations

from math import sin
from typing import Any

import numpy as np


class Pole:
    """Keeps the pole upright, and walks the cart from side to side."""

    def __init__(self, env: Any) -> None:
        self.steps = 0

    def __call__(self, observation: Any) -> int:
        """Push towards the side to which the pole has to lean."""
        self.steps += 1
        place, speed, angle, turning = (float(number) for number in observation)
        aim = 1.2 * sin(self.steps / 45)
        lean = max(-0.12, min(0.12, 0.12 * (aim - place) - 0.14 * speed))
        return int(angle + 0.35 * turning > lean)


class Valley:
    """Drives the way that the car already rolls."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> int:
        """Accelerate to the right or to the left."""
        return 2 if observation[1] >= 0 else 0


class ValleyForce(Valley):
    """The same, as a force."""

    def __call__(self, observation: Any) -> Any:
        """As much as the engine has."""
        return np.array([1.0 if observation[1] >= 0 else -1.0], np.float32)


class Swing:
    """Swings the pendulum up by its energy, and holds it there."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> Any:
        """A torque."""
        cosine, sine, turning = (float(number) for number in observation)
        angle = float(np.arctan2(sine, cosine))
        if abs(angle) < 0.5:
            torque = -(16 * angle + 4 * turning)
        else:
            missing = 15 * (1 - cosine) - turning**2 / 2
            torque = 2.0 if missing * (turning or 1.0) > 0 else -2.0
        return np.array([max(-2.0, min(2.0, torque))], np.float32)


class Elbow:
    """Swings the double pendulum up: the elbow turns the way that the lower link does."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> int:
        """A torque of 1 or -1."""
        return 2 if observation[4] < 0 else 0


class Dealer:
    """Takes cards up to a sum of 17, as dealers do."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> int:
        """Hit or stick."""
        return int(observation[0] < 17)


class Planner:
    """Acts by the values that the table of transitions gives: value iteration."""

    def __init__(self, env: Any) -> None:
        self.table = env.unwrapped.P
        self.values = [0.0] * len(self.table)
        for _ in range(400):
            before = self.values
            self.values = [max(self._worth(state, action) for action in self.table[state]) for state in self.table]
            if self.values == before:
                break

    def _worth(self, state: int, action: int) -> float:
        return sum(
            p * (reward + 0.99 * (not end) * self.values[to]) for p, to, reward, end in self.table[state][action]
        )

    def __call__(self, observation: Any) -> int:
        """The action that is worth the most."""
        state = int(observation)
        return max(self.table[state], key=lambda action: self._worth(state, action))


class Walker:
    """Walks straight to the target of the grid."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> int:
        """The way that is longer."""
        way = observation["target"] - observation["agent"]
        axis = int(abs(way[1]) > abs(way[0]))
        return axis if way[axis] > 0 else axis + 2
