"""BipedalWalker's terrain: grass and, in the hardcore version, stumps, stairs and pits."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_env_box2d.walker_constants import (
    SCALE,
    TERRAIN_GRASS,
    TERRAIN_HEIGHT,
    TERRAIN_LENGTH,
    TERRAIN_STARTPAD,
    TERRAIN_STEP,
    VIEWPORT_H,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Profile", "create_edges", "sample_clouds"]

Point = tuple[float, float]
GRASS, STUMP, STAIRS, PIT, KINDS = range(5)


class Profile:
    """A sampler for the heights of the terrain's points, which also creates the obstacles.

    Args:
        np_random: the random number generator.
        add_block: a function that creates an obstacle from the corners of a polygon.
    """

    def __init__(self, np_random: np.random.Generator, add_block: Callable[[list[Point]], None]) -> None:
        self.np_random, self.add_block = np_random, add_block
        self.y, self.slope = TERRAIN_HEIGHT, 0.0
        self.left = TERRAIN_STARTPAD  # the number of points until the next type of terrain begins
        self.base = 0.0  # the height of the ground where the current obstacle begins
        self.stairs = 0, 0, 0  # the number of steps, the number of points per step, and the direction

    def sample(self, *, hardcore: bool) -> tuple[list[float], list[float]]:
        """Sample the terrain, and return the coordinates of its points."""
        xs, ys, kind, begins = [], [], GRASS, False
        for i in range(TERRAIN_LENGTH):
            x = i * TERRAIN_STEP
            xs.append(x)
            if kind == GRASS:
                if not begins:
                    self._grow_grass(i)
            elif begins:
                (self._begin_stump, self._begin_stairs, self._begin_pit)[kind - 1](x)
            elif kind == PIT:
                self.y = self.base - (4 * TERRAIN_STEP if self.left > 1 else 0.0)
            elif kind == STAIRS:
                self._climb_stairs()
            ys.append(self.y)
            begins = False
            self.left -= 1
            if self.left == 0:
                self.left = int(self.np_random.integers(TERRAIN_GRASS // 2, TERRAIN_GRASS))
                kind = int(self.np_random.integers(1, KINDS)) if kind == GRASS and hardcore else GRASS
                begins = True
        return xs, ys

    def _grow_grass(self, i: int) -> None:
        direction = float(np.sign(TERRAIN_HEIGHT - self.y))
        self.slope = 0.8 * self.slope + 0.01 * direction
        if i > TERRAIN_STARTPAD:
            self.slope += self.np_random.uniform(-1, 1) / SCALE
        self.y += self.slope

    def _begin_pit(self, x: float) -> None:
        self.left = int(self.np_random.integers(3, 5))
        right, bottom = x + TERRAIN_STEP, self.y - 4 * TERRAIN_STEP
        wall = [(x, self.y), (right, self.y), (right, bottom), (x, bottom)]
        self.add_block(wall)
        self.add_block([(corner + TERRAIN_STEP * self.left, y) for corner, y in wall])
        self.left += 2
        self.base = self.y

    def _begin_stump(self, x: float) -> None:
        self.left = int(self.np_random.integers(1, 3))
        right, top = x + self.left * TERRAIN_STEP, self.y + self.left * TERRAIN_STEP
        self.add_block([(x, self.y), (right, self.y), (right, top), (x, top)])

    def _begin_stairs(self, x: float) -> None:
        direction = 1 if self.np_random.random() > 0.5 else -1
        width = int(self.np_random.integers(4, 5))
        steps = int(self.np_random.integers(3, 5))
        self.base, self.stairs = self.y, (steps, width, direction)
        for i in range(steps):
            left, right = x + (i * width) * TERRAIN_STEP, x + ((1 + i) * width) * TERRAIN_STEP
            top, bottom = self.y + (i * direction) * TERRAIN_STEP, self.y + (-1 + i * direction) * TERRAIN_STEP
            self.add_block([(left, top), (right, top), (right, bottom), (left, bottom)])
        self.left = steps * width

    def _climb_stairs(self) -> None:
        steps, width, direction = self.stairs
        climbed = (steps * width - self.left - direction) / width
        self.y = self.base + (climbed * direction) * TERRAIN_STEP


def create_edges(
    world: Any, definition: Any, xs: list[float], ys: list[float]
) -> tuple[list[Any], list[tuple[list[Point], tuple[int, int, int]]]]:
    """Connect successive points with edges, and return the edges and the coloured polygons below them."""
    edges, polygons = [], []
    points = list(zip(xs, ys, strict=True))
    for i, (left, right) in enumerate(pairwise(points)):
        definition.shape.vertices = [left, right]
        edge = world.CreateStaticBody(fixtures=definition)
        edge.color1 = edge.color2 = (76, 204 if i % 2 else 255, 76)
        edges.append(edge)
        polygons.append(([left, right, (right[0], 0.0), (left[0], 0.0)], (102, 153, 76)))
    return edges, polygons


def sample_clouds(np_random: np.random.Generator) -> list[tuple[list[Point], float, float]]:
    """Sample the clouds, and return the polygon and the left and right ends of each cloud."""
    clouds = []
    uniform, y = np_random.uniform, VIEWPORT_H / SCALE * 3 / 4
    for _ in range(TERRAIN_LENGTH // 20):
        x = uniform(0, TERRAIN_LENGTH) * TERRAIN_STEP
        polygon = []
        for i in range(5):
            along = x + 15 * TERRAIN_STEP * math.sin(3.14 * 2 * i / 5) + uniform(0, 5 * TERRAIN_STEP)
            polygon.append((along, y + 5 * TERRAIN_STEP * math.cos(3.14 * 2 * i / 5) + uniform(0, 5 * TERRAIN_STEP)))
        ends = [corner for corner, _ in polygon]
        clouds.append((polygon, min(ends), max(ends)))
    return clouds
