"""The dynamics of a car with rear-wheel drive in two dimensions, seen from above.

Each wheel is a separate body. Friction is limited, so the wheels can spin and slide.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gymkernel.error import DependencyNotInstalled
from gymkernel_env_box2d.car_drawing import draw_car
from gymkernel_env_box2d.engine import create_joint, fixtureDef, polygonShape

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ENGINE_POWER",
    "FRICTION_LIMIT",
    "HULL_POLY1",
    "HULL_POLY2",
    "HULL_POLY3",
    "HULL_POLY4",
    "MUD_COLOR",
    "SIZE",
]
__all__ += ["WHEELPOS", "WHEEL_COLOR", "WHEEL_MOMENT_OF_INERTIA", "WHEEL_R", "WHEEL_W", "WHEEL_WHITE"]
__all__ += ["Car", "DependencyNotInstalled", "Particle"]

SIZE = 0.02
"""The factor that converts the lengths below to Box2D's unit of length."""
ENGINE_POWER = 100000000 * SIZE * SIZE
WHEEL_MOMENT_OF_INERTIA = 4000 * SIZE * SIZE
FRICTION_LIMIT = 1000000 * SIZE * SIZE
GRASS_FRICTION = 0.6
BRAKE_FORCE = 15
"""How much full braking reduces the angular velocity of a wheel in one step, in rad/s."""
STIFFNESS = 205000 * SIZE * SIZE
"""The ratio of the friction force to the speed at which a wheel slips."""

WHEEL_R, WHEEL_W = 27, 14
WHEELPOS = [(-55, 80), (55, 80), (-55, -82), (55, -82)]
WHEEL_POLY = [(-WHEEL_W, WHEEL_R), (WHEEL_W, WHEEL_R), (WHEEL_W, -WHEEL_R), (-WHEEL_W, -WHEEL_R)]
HULL_POLY1 = [(-60, 130), (60, 130), (60, 110), (-60, 110)]
HULL_POLY2 = [(-15, 120), (15, 120), (20, 20), (-20, 20)]
HULL_POLY3 = [(25, 20), (50, -10), (50, -40), (20, -90), (-20, -90), (-50, -40), (-50, -10), (-25, 20)]
HULL_POLY4 = [(-50, -120), (50, -120), (50, -90), (-50, -90)]
HULL_COLOR = (0.8, 0.0, 0.0)
WHEEL_COLOR, WHEEL_WHITE, MUD_COLOR = (0, 0, 0), (77, 77, 77), (102, 102, 0)


@dataclass(slots=True)
class Particle:
    """A trace of a sliding wheel.

    Attributes:
        color: the colour of the trace.
        poly: the points of the trace.
        grass: whether the wheel slides on grass.
        ttl: the remaining lifetime. It is not used.
    """

    color: tuple[int, int, int]
    poly: list[tuple[float, float]]
    grass: Any
    ttl: int = 1


def _scaled(corners: Sequence[tuple[int, int]]) -> list[tuple[float, float]]:
    return [(x * SIZE, y * SIZE) for x, y in corners]


# Box2D copies the definition of a fixture, but never frees a shape that was assigned to a definition. To avoid a memory
# leak, each definition is created only once.
HULL_FIXTURES = [
    fixtureDef(shape=polygonShape(vertices=_scaled(part)), density=1.0)
    for part in (HULL_POLY1, HULL_POLY2, HULL_POLY3, HULL_POLY4)
]
WHEEL_FIXTURE = fixtureDef(
    shape=polygonShape(vertices=_scaled(WHEEL_POLY)), density=0.1, categoryBits=0x0020, maskBits=0x001, restitution=0.0
)


class Car:
    """A car with four wheels.

    Args:
        world: the Box2D world.
        init_angle: the angle at the start in rad.
        init_x: the horizontal position at the start.
        init_y: the vertical position at the start.
    """

    def __init__(self, world: Any, init_angle: float, init_x: float, init_y: float) -> None:
        self.world = world
        self.hull: Any = world.CreateDynamicBody(
            position=(init_x, init_y),
            angle=init_angle,
            fixtures=HULL_FIXTURES,
        )
        self.hull.color = HULL_COLOR
        self.fuel_spent = 0.0
        self.wheels = [self._create_wheel(init_angle, init_x, init_y, place) for place in WHEELPOS]
        self.drawlist = [*self.wheels, self.hull]
        self.particles: deque[Particle] = deque(maxlen=30)

    def _create_wheel(self, angle: float, x: float, y: float, place: tuple[int, int]) -> Any:
        anchor = place[0] * SIZE, place[1] * SIZE
        wheel = self.world.CreateDynamicBody(
            position=(x + anchor[0], y + anchor[1]),
            angle=angle,
            fixtures=WHEEL_FIXTURE,
        )
        wheel.wheel_rad, wheel.color = WHEEL_R * SIZE, WHEEL_COLOR
        wheel.gas = wheel.brake = wheel.steer = wheel.phase = wheel.omega = 0.0
        wheel.skid_start = wheel.skid_particle = None
        bodies, torque = (self.hull, wheel), 180 * 900 * SIZE * SIZE
        wheel.joint = create_joint(self.world, bodies, (anchor, (0, 0)), torque, 0, (-0.4, 0.4))
        wheel.tiles = set()
        wheel.userData = wheel
        return wheel

    def gas(self, gas: float) -> None:
        """Press the accelerator, which acts on the rear wheels. The power increases gradually.

        Args:
            gas: the power, which is clipped to the range from 0 to 1.
        """
        gas = min(max(gas, 0), 1)
        for wheel in self.wheels[2:4]:
            wheel.gas += min(gas - wheel.gas, 0.1)

    def brake(self, b: float) -> None:
        """Press the brake, which acts on all wheels.

        Args:
            b: the strength from 0 to 1. At 0.9 or more, the wheels lock.
        """
        for wheel in self.wheels:
            wheel.brake = b

    def steer(self, s: float) -> None:
        """Turn the front wheels.

        Args:
            s: the desired steering angle, from -1 to 1. The wheels take some time to reach it.
        """
        self.wheels[0].steer = self.wheels[1].steer = s

    def step(self, dt: float) -> None:
        """Steer the wheels, and apply the forces of the engine, the brakes and friction for `dt` seconds."""
        for wheel in self.wheels:
            turn = wheel.steer - wheel.joint.angle
            wheel.joint.motorSpeed = math.copysign(min(50.0 * abs(turn), 3.0), turn) if turn else 0.0
            limit = FRICTION_LIMIT * GRASS_FRICTION
            for tile in wheel.tiles:
                limit = max(limit, FRICTION_LIMIT * tile.road_friction)
            self._spin(wheel, dt)
            self._slide(wheel, dt, limit, not wheel.tiles)

    def _spin(self, wheel: Any, dt: float) -> None:
        """Update the angular velocity of a wheel according to the engine and the brake."""
        omega, brake = wheel.omega, wheel.brake
        # Adding 5 prevents a division by zero.
        omega += dt * ENGINE_POWER * wheel.gas / WHEEL_MOMENT_OF_INERTIA / (abs(omega) + 5.0)
        self.fuel_spent += dt * ENGINE_POWER * wheel.gas
        if brake >= 0.9:
            omega = 0
        elif brake > 0 and omega:
            omega += math.copysign(min(BRAKE_FORCE * brake, abs(omega)), -omega)
        wheel.omega = omega
        wheel.phase += omega * dt

    def _slide(self, wheel: Any, dt: float, limit: float, grass: bool) -> None:
        """Apply the friction force, which is proportional to the speed at which the wheel slips, up to a limit."""
        forward, side = wheel.GetWorldVector((0, 1)), wheel.GetWorldVector((1, 0))
        (ahead_x, ahead_y), (side_x, side_y) = forward.tuple, side.tuple
        x_speed, y_speed = wheel.linearVelocity.tuple
        along = -(ahead_x * x_speed + ahead_y * y_speed) + wheel.omega * wheel.wheel_rad
        across = -(side_x * x_speed + side_y * y_speed)
        along *= STIFFNESS
        across *= STIFFNESS
        force = math.sqrt(along * along + across * across)
        if force > 2.0 * limit:
            self._extend_trace(wheel, grass)
        else:
            wheel.skid_start = wheel.skid_particle = None
        if force > limit:
            along /= force
            across /= force
            along *= limit
            across *= limit
        wheel.omega -= dt * along * wheel.wheel_rad / WHEEL_MOMENT_OF_INERTIA
        wheel.ApplyForceToCenter((across * side_x + along * ahead_x, across * side_y + along * ahead_y), True)

    def _extend_trace(self, wheel: Any, grass: bool) -> None:
        """Add the position of a sliding wheel to its trace, or begin a new trace."""
        trace = wheel.skid_particle
        if trace and trace.grass == grass and len(trace.poly) < 30:
            trace.poly.append(wheel.position.tuple)
        elif wheel.skid_start is None:
            wheel.skid_start = wheel.position
        else:
            wheel.skid_particle = self._create_particle(wheel.skid_start, wheel.position, grass)
            wheel.skid_start = None

    def _create_particle(self, point1: Any, point2: Any, grass: Any) -> Particle:
        """Start a trace that consists of two points."""
        points = [(point1[0], point1[1]), (point2[0], point2[1])]
        particle = Particle(MUD_COLOR if grass else WHEEL_COLOR, points, grass)
        self.particles.append(particle)
        return particle

    def draw(
        self, surface: Any, zoom: float, translation: Sequence[float], angle: float, draw_particles: bool = True
    ) -> None:
        """Draw the car.

        Args:
            surface: the pygame surface to draw on.
            zoom: the number of pixels per unit of length.
            translation: the position of the world's origin in pixels.
            angle: the angle in rad by which the image is rotated.
            draw_particles: whether to draw the traces of sliding wheels.
        """
        draw_car(self, surface, zoom, translation, angle, draw_particles=draw_particles)

    def destroy(self) -> None:
        """Remove the car's bodies from the world."""
        self.world.DestroyBody(self.hull)
        for wheel in self.wheels:
            self.world.DestroyBody(wheel)
        self.hull, self.wheels, self.drawlist = None, [], []
