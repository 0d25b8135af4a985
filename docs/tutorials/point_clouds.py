"""A space of point clouds, without and with the two lines that let workers share memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import gymkernel as gym
from gymkernel import Space
from gymkernel.spaces import Discrete, Field

POINTS = 2048


class Cloud(Space[NDArray[np.float32]]):
    """Points on the unit sphere, as a scanner sees them: float32 of (2048, 3)."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__((POINTS, 3), np.float32, seed)

    def draw(self) -> NDArray[np.float32]:
        """Draw points."""
        points = self.np_random.normal(size=(POINTS, 3))
        return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)

    def contains(self, x: Any) -> bool:
        """Whether these are points on the sphere."""
        is_array = isinstance(x, np.ndarray) and x.shape == (POINTS, 3) and x.dtype == np.float32
        return is_array and bool(np.allclose(np.linalg.norm(x, axis=1), 1, atol=1e-4))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class SharedCloud(Cloud):
    """The same, and what arrays hold an element."""

    def layout(self) -> tuple[Field, ...]:
        """One array of the points."""
        return (Field.of(np.float32, (POINTS, 3)),)


class Scanner(gym.Env[NDArray[np.float32], int]):
    """Turns around a cloud of points."""

    def __init__(self, space: type[Cloud] = SharedCloud) -> None:
        self.observation_space, self.action_space = space(), Discrete(2)
        self.cloud = np.empty(0)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Draw a cloud."""
        super().reset(seed=seed)
        if seed is not None:
            self.observation_space.seed(seed)
        self.cloud = self.observation_space.sample()
        return self.cloud.copy(), {}

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Turn by a right angle, to the left or to the right."""
        x, y = self.cloud[:, 0].copy(), self.cloud[:, 1].copy()
        self.cloud[:, 0], self.cloud[:, 1] = (y, -x) if action else (-y, x)
        return self.cloud.copy(), 0.0, False, False, {}


def plain() -> Scanner:
    """An environment whose clouds travel by pipe."""
    return Scanner(Cloud)


def shared() -> Scanner:
    """An environment whose clouds are in shared memory."""
    return Scanner(SharedCloud)
