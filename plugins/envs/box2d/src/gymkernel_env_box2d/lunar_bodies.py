"""Functions that create the moon's surface, the lander with its legs, and the exhaust particles."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from gymkernel_env_box2d import lunar_constants as size
from gymkernel_env_box2d.engine import circleShape, create_joint, edgeShape, fixtureDef, polygonShape

if TYPE_CHECKING:
    import numpy as np

__all__ = ["GROUND", "Point", "create_lander", "create_leg", "create_moon", "create_particle", "ground_fixture"]
__all__ += ["terrain_heights"]

Point = tuple[float, float]
GROUND = 0x001
"""The collision category of the ground. Other bodies collide only with the ground."""
BODY, LEG, PARTICLE = 0x0010, 0x0020, 0x0100
SCALE = size.SCALE

# Box2D copies the definition of a fixture, but never frees a shape that was assigned to a definition. To avoid a memory
# leak, each definition is created only once.
LANDER_FIXTURE = fixtureDef(
    shape=polygonShape(vertices=[(x / SCALE, y / SCALE) for x, y in size.LANDER_POLY]),
    density=5.0,
    friction=0.1,
    categoryBits=BODY,
    maskBits=GROUND,
    restitution=0.0,
)
LEG_FIXTURE = fixtureDef(
    shape=polygonShape(box=(size.LEG_W / SCALE, size.LEG_H / SCALE)),
    density=1.0,
    restitution=0.0,
    categoryBits=LEG,
    maskBits=GROUND,
)


@cache
def _particle_fixture(mass: float) -> Any:
    return fixtureDef(
        shape=circleShape(radius=2 / SCALE, pos=(0, 0)),
        density=mass,
        friction=0.1,
        categoryBits=PARTICLE,
        maskBits=GROUND,
        restitution=0.3,
    )


def terrain_heights(np_random: np.random.Generator, height: float) -> list[float]:
    """Sample the heights of the terrain's points. The points in the middle form a flat landing pad."""
    chunks, middle = size.CHUNKS, size.CHUNKS // 2
    sampled = np_random.uniform(0, height / 2, size=(chunks + 1,))
    sampled[middle - 2 : middle + 3] = height / 4
    heights = sampled.tolist()
    return [0.33 * (heights[i - 1] + heights[i] + heights[i + 1]) for i in range(chunks)]


def ground_fixture() -> Any:
    """Create a definition for the ground's edges.

    Each environment needs its own definition, because `create_moon` changes the definition.
    """
    return fixtureDef(shape=edgeShape(), density=0, friction=0.1)


def create_moon(
    world: Any, ground: Any, xs: list[float], heights: list[float], top: float
) -> tuple[Any, list[list[Point]]]:
    """Create the ground, and return its body and the polygons that form the sky above it.

    Args:
        world: the world.
        ground: the result of `ground_fixture`.
        xs: the x coordinates of the terrain's points.
        heights: the y coordinates of these points.
        top: the y coordinate of the upper end of the sky.
    """
    moon = world.CreateStaticBody(shapes=edgeShape(vertices=[(0, 0), (size.VIEWPORT_W / SCALE, 0)]))
    sky = []
    points = list(zip(xs, heights, strict=True))
    for left, right in pairwise(points):
        ground.shape.vertices = [left, right]
        moon.CreateFixture(ground)
        sky.append([left, right, (right[0], top), (left[0], top)])
    moon.color1 = moon.color2 = (0.0, 0.0, 0.0)
    return moon, sky


def create_lander(world: Any, position: Point) -> Any:
    """Create the body of the lander."""
    lander = world.CreateDynamicBody(
        position=position,
        angle=0.0,
        fixtures=LANDER_FIXTURE,
    )
    lander.color1, lander.color2 = size.LIGHT, size.DARK
    return lander


def create_leg(world: Any, lander: Any, position: Point, side: int) -> Any:
    """Create a leg, and a joint with a motor that presses the leg down. The side is -1 or 1."""
    x, y = position
    leg = world.CreateDynamicBody(
        position=(x - side * size.LEG_AWAY / SCALE, y),
        angle=side * 0.05,
        fixtures=LEG_FIXTURE,
    )
    leg.ground_contact = False
    leg.color1, leg.color2 = size.LIGHT, size.DARK
    limits = (0.9 - 0.5, 0.9) if side < 0 else (-0.9, -0.9 + 0.5)
    anchors = (0, 0), (side * size.LEG_AWAY / SCALE, size.LEG_DOWN / SCALE)
    leg.joint = create_joint(world, (lander, leg), anchors, size.LEG_SPRING_TORQUE, 0.3 * side, limits)
    return leg


def create_particle(world: Any, mass: float, position: Point) -> Any:
    """Create an exhaust particle, which does not affect the lander."""
    return world.CreateDynamicBody(
        position=position,
        angle=0.0,
        fixtures=_particle_fixture(mass),
    )
