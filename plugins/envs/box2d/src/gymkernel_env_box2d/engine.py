"""The classes from Box2D that the environments use, imported without the warnings that SWIG causes."""

from __future__ import annotations

import warnings
from operator import is_
from typing import Any

with warnings.catch_warnings():
    # SWIG creates types without a __module__ attribute, and Python issues a warning for each of them.
    warnings.simplefilter("ignore", DeprecationWarning)
    import Box2D
    import Box2D.b2 as _b2

__all__ = ["STEP_TIME", "ContactListener", "circleShape", "contactListener", "edgeShape", "fixtureDef"]
__all__ += ["polygonShape", "rayCastCallback", "revoluteJointDef", "step_world", "world"]

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


class ContactListener(contactListener):  # type: ignore[misc]  # Box2D has no annotations
    """A contact listener that is notified when contacts begin and end.

    Box2D also calls `PreSolve` and `PostSolve` for each contact in each step, although the environments do not need
    these calls. For this reason, both methods are a built-in function that accepts two arguments and has no effect,
    which is several times as fast as the inherited methods.
    """

    PreSolve = is_
    PostSolve = is_


def step_world(simulated: Any) -> None:
    """Advance a world by one step, with the time step and the numbers of iterations that all environments use."""
    simulated.Step(STEP_TIME, 180, 60)
