"""Functions that create the bodies of BipedalWalker's robot, and the class of its lidar rays."""

from __future__ import annotations

import math
from typing import Any

from gymkernel_env_box2d.engine import create_joint, rayCastCallback
from gymkernel_env_box2d.walker_constants import (
    HULL_FD,
    LEG_DOWN,
    LEG_FD,
    LEG_H,
    LIDAR_RANGE,
    LOWER_FD,
    MOTORS_TORQUE,
    TERRAIN_HEIGHT,
    TERRAIN_STARTPAD,
    TERRAIN_STEP,
)

__all__ = ["RAYS", "LidarCallback", "create_hull", "create_legs"]

START_X, START_Y = TERRAIN_STEP * TERRAIN_STARTPAD / 2, TERRAIN_HEIGHT + 2 * LEG_H
RAYS = [(math.sin(1.5 * i / 10.0) * LIDAR_RANGE, math.cos(1.5 * i / 10.0) * LIDAR_RANGE) for i in range(10)]
"""The horizontal and vertical extent of each lidar ray. The rays point down and to the right."""


class LidarCallback(rayCastCallback):  # type: ignore[misc]  # Box2D has no annotations
    """A lidar ray that records the nearest point where it hits the ground.

    `p1` is the origin of the ray, `p2` is the point, and `fraction` is the distance to the point as a fraction of the
    ray's length.
    """

    fraction: float
    p1: Any
    p2: Any

    def ReportFixture(self, fixture: Any, point: Any, normal: Any, fraction: float) -> float:  # noqa: N802 - Box2D calls this name
        """Store the point if the ray hits the ground, and ignore the robot's own parts."""
        if fixture.filterData.categoryBits & 1:
            self.p2, self.fraction = point, fraction
            return fraction
        return -1


def create_hull(world: Any) -> Any:
    """Create the hull above the start of the terrain."""
    hull = world.CreateDynamicBody(position=(START_X, START_Y), fixtures=HULL_FD)
    hull.color1, hull.color2 = (127, 51, 229), (76, 76, 127)
    return hull


def create_legs(world: Any, hull: Any) -> tuple[list[Any], list[Any]]:
    """Create the upper and lower parts of both legs, and the joints with motors in the hips and the knees."""
    legs, joints = [], []
    for side in (-1, 1):
        upper = _create_part(world, START_Y - LEG_H / 2 - LEG_DOWN, side, LEG_FD)
        anchors = (0, LEG_DOWN), (0, LEG_H / 2)
        hip = create_joint(world, (hull, upper), anchors, MOTORS_TORQUE, side, (-0.8, 1.1))
        lower = _create_part(world, START_Y - LEG_H * 3 / 2 - LEG_DOWN, side, LOWER_FD)
        lower.ground_contact = False
        anchors = (0, -LEG_H / 2), (0, LEG_H / 2)
        knee = create_joint(world, (upper, lower), anchors, MOTORS_TORQUE, 1, (-1.6, -0.1))
        legs += [upper, lower]
        joints += [hip, knee]
    return legs, joints


def _create_part(world: Any, y: float, side: int, definition: Any) -> Any:
    part = world.CreateDynamicBody(position=(START_X, y), angle=side * 0.05, fixtures=definition)
    darker = side * 25
    part.color1 = (153 - darker, 76 - darker, 127 - darker)
    part.color2 = (102 - darker, 51 - darker, 76 - darker)
    return part
