"""The valley of the mountain car: the constants and the equations that every form of both problems uses."""

from __future__ import annotations

from collections.abc import Mapping
from math import cos
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel_env_classic_control.utils import maybe_parse_reset_bounds
from gymkernel_space_box import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_classic_control.drawing import Renderer

__all__ = ["GRAVITY", "Engine", "Valley", "driven", "faster"]

GRAVITY = 0.0025
START = (-0.6, -0.4)
"""A new episode draws the position uniformly between these; the velocity is 0."""


class Valley:
    """A valley with the floor sin(3x), a wall at its left end, a goal on its right hill, and a speed limit.

    The constants are attributes that every step reads.

    Args:
        goal_position: where an episode ends.
        goal_velocity: the least velocity at which it does.
    """

    parts: ClassVar[tuple[str, ...]] = ("position", "velocity")

    def __init__(self, goal_position: float, goal_velocity: float) -> None:
        self.min_position, self.max_position = -1.2, 0.6
        self.max_speed = 0.07  # per step
        self.goal_position = goal_position
        self.goal_velocity = goal_velocity
        self.force, self.gravity = 0.001, GRAVITY
        self.screen_width, self.screen_height = 600, 400  # pixels

    def observation_bounds(self) -> Box[np.float32]:
        """Return the ends of the valley and the speed limit."""
        low, high = [self.min_position, -self.max_speed], [self.max_position, self.max_speed]
        return Box(np.array(low, np.float32), np.array(high, np.float32), dtype=np.float32)

    def reset_bounds(self, options: Mapping[str, Any] | None) -> tuple[float, float]:
        """Return the interval that a reset with these options draws from."""
        return maybe_parse_reset_bounds(options, *START)

    def drive(self, position: NDArray[Any], velocity: NDArray[Any]) -> NDArray[np.bool_]:
        """Move many cars by their velocities, in place, within the limits; return which cars are at the goal."""
        np.maximum(velocity, -self.max_speed, out=velocity)
        np.minimum(velocity, self.max_speed, out=velocity)
        position += velocity
        stopped = position <= self.min_position
        if stopped.any():
            position[stopped] = self.min_position
            velocity[stopped & (velocity < 0)] = 0.0
        np.minimum(position, self.max_position, out=position)
        arrived: NDArray[np.bool_] = position >= self.goal_position
        arrived &= velocity >= self.goal_velocity
        return arrived

    def height(self, xs: Any) -> NDArray[np.float64]:
        """Return the height of the floor as it is drawn, from 0.1 to 1, in units of the valley."""
        return np.asarray(np.sin(3 * np.asarray(xs)) * 0.45 + 0.55)

    def new_renderer(self) -> Renderer:
        """Return what draws the system; pygame-ce is imported here."""
        from gymkernel_env_classic_control.drawing import Renderer
        from gymkernel_env_classic_control.pictures import draw_mountain_car

        return Renderer(draw_mountain_car, (self.screen_width, self.screen_height), "MountainCar")


class Engine(Valley):
    """The valley, and an engine whose force is chosen freely.

    Args:
        goal_velocity: the least velocity at which an episode ends.
    """

    def __init__(self, goal_velocity: float) -> None:
        super().__init__(goal_position=0.45, goal_velocity=goal_velocity)
        self.min_action, self.max_action = -1.0, 1.0
        self.power = 0.0015

    def forces(self) -> Box[np.float32]:
        """Return the action space."""
        return Box(self.min_action, self.max_action, (1,), np.float32)

    def moved(self, position: Any, velocity: Any, force: Any) -> tuple[Any, Any, bool]:
        """Step one car in NumPy's numbers: return the position, the velocity, and whether the car is at the goal.

        The rounding follows from the types: state and force may be float32 or float64 each, and what is replaced by a
        bound is a Python number, which takes the precision of what it meets.

        Args:
            position: of the car, in the units of the track.
            velocity: of the car, for a step.
            force: of the engine; it is brought within the bounds of actions.
        """
        force = min(max(force, self.min_action), self.max_action)
        velocity = faster(velocity, force * self.power, GRAVITY * cos(3 * position))
        position, velocity = driven(position, velocity, self.max_speed, self.min_position, self.max_position)
        return position, velocity, bool(position >= self.goal_position and velocity >= self.goal_velocity)


def faster(velocity: Any, push: Any, pull: Any) -> Any:
    """Return the velocity after a step, before the speed limit.

    Numbers, arrays and compiled code run this function and the next one. The order of the operations is part of the
    result: another order rounds differently, and trajectories part.

    Args:
        velocity: before the step.
        push: acceleration by the engine.
        pull: acceleration by gravity: g cos(3x).
    """
    return velocity + (push - pull)


def driven(position: Any, velocity: Any, fastest: Any, left: Any, right: Any) -> tuple[Any, Any]:
    """Return the position and the velocity of one car after a step, within the limits.

    Args:
        position: before the step.
        velocity: after `faster`.
        fastest: the speed limit.
        left: the end of the valley where a wall takes away all speed.
        right: the other end.
    """
    velocity = min(max(velocity, -fastest), fastest)
    position = min(max(position + velocity, left), right)
    if position == left and velocity < 0:
        velocity -= velocity
    return position, velocity
