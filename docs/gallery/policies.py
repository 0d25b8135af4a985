"""Define the policies for the films in the gallery, which show the purpose of each environment.

Each policy is a class that is created with the environment and called with observations, as `gymkernel render --policy`
expects.
"""

from __future__ import annotations

from math import sin
from typing import Any

import numpy as np


class Pole:
    """A policy that keeps the pole upright and moves the cart from side to side."""

    def __init__(self, env: Any) -> None:
        self.steps = 0

    def __call__(self, observation: Any) -> int:
        """Push the cart so that the pole leans in the desired direction."""
        self.steps += 1
        place, speed, angle, turning = (float(number) for number in observation)
        aim = 1.2 * sin(self.steps / 45)
        lean = max(-0.12, min(0.12, 0.12 * (aim - place) - 0.14 * speed))
        return int(angle + 0.35 * turning > lean)


class Valley:
    """A policy that accelerates in the direction in which the car already rolls."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> int:
        """Accelerate to the right or to the left."""
        return 2 if observation[1] >= 0 else 0


class ValleyForce(Valley):
    """The policy of `Valley` for continuous actions."""

    def __call__(self, observation: Any) -> Any:
        """Apply the full force of the engine in the direction of the speed."""
        return np.array([1.0 if observation[1] >= 0 else -1.0], np.float32)


class Swing:
    """A policy that swings the pendulum up by controlling its energy, and balances it at the top."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> Any:
        """Return the torque."""
        cosine, sine, turning = (float(number) for number in observation)
        angle = float(np.arctan2(sine, cosine))
        if abs(angle) < 0.5:
            torque = -(16 * angle + 4 * turning)
        else:
            missing = 15 * (1 - cosine) - turning**2 / 2
            torque = 2.0 if missing * (turning or 1.0) > 0 else -2.0
        return np.array([max(-2.0, min(2.0, torque))], np.float32)


class Elbow:
    """A policy that swings the double pendulum up by turning the elbow in the direction of the lower link."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> int:
        """Apply a torque of 1 or -1."""
        return 2 if observation[4] < 0 else 0


class Dealer:
    """A policy that takes cards up to a sum of 17, as dealers do."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> int:
        """Hit or stick."""
        return int(observation[0] < 17)


class Planner:
    """A policy that maximises values, which value iteration computes from the table of transitions."""

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
        """Return the action with the highest value."""
        state = int(observation)
        return max(self.table[state], key=lambda action: self._worth(state, action))


class Walker:
    """A policy that walks straight to the target of the grid."""

    def __init__(self, env: Any) -> None:
        pass

    def __call__(self, observation: Any) -> int:
        """Move along the axis on which the target is farther away."""
        way = observation["target"] - observation["agent"]
        axis = int(abs(way[1]) > abs(way[0]))
        return axis if way[axis] > 0 else axis + 2
