"""The classes from Box2D that the environments use, imported without the warnings that SWIG causes."""

from __future__ import annotations

import warnings
from operator import is_
from typing import Any, ClassVar

with warnings.catch_warnings():
    # SWIG creates types without a __module__ attribute, and Python issues a warning for each of them.
    warnings.simplefilter("ignore", DeprecationWarning)
    import Box2D
    import Box2D.b2 as _b2

__all__ = ["STEP_TIME", "ContactListener", "LegListener", "circleShape", "contactListener", "create_joint"]
__all__ += ["edgeShape", "fixtureDef", "polygonShape", "rayCastCallback", "revoluteJointDef", "world"]

circleShape: Any = _b2.circleShape  # noqa: N816 - this and the following names are those of Box2D
contactListener: Any = _b2.contactListener  # noqa: N816
edgeShape: Any = _b2.edgeShape  # noqa: N816
fixtureDef: Any = _b2.fixtureDef  # noqa: N816
polygonShape: Any = _b2.polygonShape  # noqa: N816
rayCastCallback: Any = _b2.rayCastCallback  # noqa: N816
revoluteJointDef: Any = _b2.revoluteJointDef  # noqa: N816
world: Any = Box2D.b2World

STEP_TIME = 1.0 / 50
"""The duration of a simulation step in seconds."""


Point = tuple[float, float]


def create_joint(
    simulated: Any,
    bodies: tuple[Any, Any],
    anchors: tuple[Point, Point],
    torque: float,
    speed: float,
    limits: tuple[float, float],
) -> Any:
    """Create a joint with a motor between two bodies.

    Args:
        simulated: the world.
        bodies: the two bodies.
        anchors: the position of the joint relative to each body.
        torque: the maximum torque of the motor.
        speed: the angular velocity that the motor tries to reach in rad/s.
        limits: the minimum and maximum angle of the second body relative to the first body in rad.
    """
    return simulated.CreateJoint(
        revoluteJointDef(
            bodyA=bodies[0],
            bodyB=bodies[1],
            localAnchorA=anchors[0],
            localAnchorB=anchors[1],
            enableMotor=True,
            enableLimit=True,
            maxMotorTorque=torque,
            motorSpeed=speed,
            lowerAngle=limits[0],
            upperAngle=limits[1],
        )
    )


class ContactListener(contactListener):  # type: ignore[misc]  # Box2D has no annotations
    """A contact listener that is notified when contacts begin and end.

    Box2D also calls `PreSolve` and `PostSolve` for each contact in each step, although the environments do not need
    these calls. For this reason, both methods are a built-in function that accepts two arguments and has no effect,
    which is several times as fast as the inherited methods.
    """

    PreSolve = is_
    PostSolve = is_


class LegListener(ContactListener):
    """A contact listener that ends the episode if the main body touches the ground, and records which legs touch it.

    Args:
        env: the environment whose attributes `game_over` and `legs` are updated.

    Attributes:
        main_body: the name of the attribute in which the environment stores the main body.
        feet: the slice of the environment's legs that can touch the ground.
    """

    main_body: ClassVar[str]
    feet: ClassVar[slice]

    def __init__(self, env: Any) -> None:
        super().__init__()
        self.env = env

    def BeginContact(self, contact: Any) -> None:  # noqa: N802 - Box2D calls this name
        """Record the start of a contact."""
        bodies = contact.fixtureA.body, contact.fixtureB.body
        if getattr(self.env, self.main_body) in bodies:
            self.env.game_over = True
        self._set_legs(bodies, True)

    def EndContact(self, contact: Any) -> None:  # noqa: N802 - Box2D calls this name
        """Record the end of a contact."""
        self._set_legs((contact.fixtureA.body, contact.fixtureB.body), False)

    def _set_legs(self, bodies: tuple[Any, Any], value: bool) -> None:
        for leg in self.env.legs[self.feet]:
            if leg in bodies:
                leg.ground_contact = value
