"""Define a space of point clouds, without and with a layout for shared memory."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import gymkernel as gym
from gymkernel import Space
from gymkernel.spaces import Discrete, Field, flatdim
from gymkernel.vector import AsyncVectorEnv

POINTS = 2048


class Cloud(Space[NDArray[np.float32]]):
    """Point clouds on the unit sphere, as measured by a laser scanner, in float32 arrays of shape (2048, 3)."""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__((POINTS, 3), np.float32, seed)

    def draw(self) -> NDArray[np.float32]:
        """Return random points."""
        points = self.np_random.normal(size=(POINTS, 3))
        return (points / np.linalg.norm(points, axis=1, keepdims=True)).astype(np.float32)

    def contains(self, x: Any) -> bool:
        """Return whether a value is a cloud of points on the sphere."""
        is_array = isinstance(x, np.ndarray) and x.shape == (POINTS, 3) and x.dtype == np.float32
        return is_array and bool(np.allclose(np.linalg.norm(x, axis=1), 1, atol=1e-4))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class SharedCloud(Cloud):
    """The same space with a layout."""

    def layout(self) -> tuple[Field, ...]:
        """Return the field for the points."""
        return (Field.of(np.float32, (POINTS, 3)),)


class Scanner(gym.Env[NDArray[np.float32], int]):
    """An environment whose agent turns around a cloud of points."""

    def __init__(self, space: type[Cloud] = SharedCloud) -> None:
        self.observation_space, self.action_space = space(), Discrete(2)
        self.cloud = np.empty(0)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Start an episode with a new cloud."""
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
    """Create an environment whose clouds are pickled between processes."""
    return Scanner(Cloud)


def shared() -> Scanner:
    """Create an environment whose clouds are in shared memory."""
    return Scanner(SharedCloud)


if __name__ == "__main__":
    print(f"flatdim(SharedCloud()) is {flatdim(SharedCloud())}")
    for make in (plain, shared):
        with AsyncVectorEnv([make] * 3, num_workers=2) as envs:
            observations, _ = envs.reset(seed=1)
        print(envs.single_observation_space, len(observations), observations[0].shape)
