"""Constants for the sizes, forces and fixtures of BipedalWalker's robot and terrain."""

from __future__ import annotations

from gymkernel_env_box2d.engine import fixtureDef, polygonShape

__all__ = ["FPS", "FRICTION", "HULL_FD", "HULL_POLY", "INITIAL_RANDOM", "LEG_DOWN", "LEG_FD", "LEG_H", "LEG_W"]
__all__ += ["LIDAR_RANGE", "LOWER_FD", "MOTORS_TORQUE", "SCALE", "SPEED_HIP", "SPEED_KNEE", "TERRAIN_GRASS"]
__all__ += ["TERRAIN_HEIGHT", "TERRAIN_LENGTH", "TERRAIN_STARTPAD", "TERRAIN_STEP", "VIEWPORT_H", "VIEWPORT_W"]

FPS = 50
SCALE = 30.0
"""The number of pixels per unit of length in Box2D."""
VIEWPORT_W, VIEWPORT_H = 600, 400

MOTORS_TORQUE = 80
SPEED_HIP, SPEED_KNEE = 4, 6
"""The maximum angular velocities of the hip and knee motors in rad/s."""
LIDAR_RANGE = 160 / SCALE
INITIAL_RANDOM = 5
"""The maximum horizontal force that pushes the hull at the start."""

HULL_POLY = [(-30, 9), (6, 9), (34, 1), (34, -8), (-30, -8)]
LEG_DOWN = -8 / SCALE
LEG_W, LEG_H = 8 / SCALE, 34 / SCALE

TERRAIN_STEP = 14 / SCALE
TERRAIN_LENGTH = 200
"""The number of points that define the terrain. `TERRAIN_GRASS` and `TERRAIN_STARTPAD` are also numbers of points."""
TERRAIN_HEIGHT = VIEWPORT_H / SCALE / 4
TERRAIN_GRASS = 10
TERRAIN_STARTPAD = 20
FRICTION = 2.5

_BODY, _GROUND = 0x0020, 0x001
HULL_FD = fixtureDef(
    shape=polygonShape(vertices=[(x / SCALE, y / SCALE) for x, y in HULL_POLY]),
    density=5.0,
    friction=0.1,
    categoryBits=_BODY,
    maskBits=_GROUND,
    restitution=0.0,
)
LEG_FD, LOWER_FD = [
    fixtureDef(
        shape=polygonShape(box=(width / 2, LEG_H / 2)),
        density=1.0,
        restitution=0.0,
        categoryBits=_BODY,
        maskBits=_GROUND,
    )
    for width in (LEG_W, 0.8 * LEG_W)
]
