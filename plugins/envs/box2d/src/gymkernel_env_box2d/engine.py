"""The names of Box2D that the environments use. Warnings that SWIG causes during the import are hidden."""

from __future__ import annotations

import warnings
from operator import is_
from typing import Any

with warnings.catch_warnings():
    # SWIG creates types without the attribute __module__, and Python warns about every such type.
    warnings.simplefilter("ignore", DeprecationWarning)
    import Box2D
    from Box2D import b2 as _b2

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
"""The simulated time of a step in seconds."""


class ContactListener(contactListener):  # type: ignore[misc]  # Box2D has no annotations
    """A contact listener that is notified when contacts begin and end.

    Box2D also calls `PreSolve` and `PostSolve` for each contact in each step. These methods have to accept two
    arguments and do nothing. A built-in function does this several times as fast as the inherited methods.
    """

    PreSolve = is_
    PostSolve = is_


def step_world(simulated: Any) -> None:
    """Advance a world by one step with the numbers of iterations that all environments use."""
    simulated.Step(STEP_TIME, 180, 60)
