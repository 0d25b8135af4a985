"""The constants and equations of the valley that all versions of MountainCar and MountainCarContinuous share."""

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

__all__ = ["GRAVITY", "Engine", "Valley", "accelerate", "move_car"]

GRAVITY = 0.0025
START = (-0.6, -0.4)
"""The interval from which the initial position is sampled uniformly. The initial velocity is 0."""


class Valley:
    """A base class with the constants of a valley whose floor has the height sin(3x). The goal is on the right hill.

    Every step reads the constants from the attributes, so programs can change the constants.

    Args:
        goal_position: the position of the goal.
        goal_velocity: the minimum velocity that the car must have at the goal.
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
        """Return the observation space, whose bounds are the ends of the valley and the speed limit."""
        low, high = [self.min_position, -self.max_speed], [self.max_position, self.max_speed]
        return Box(np.array(low, np.float32), np.array(high, np.float32), dtype=np.float32)

    def reset_bounds(self, options: Mapping[str, Any] | None) -> tuple[float, float]:
        """Return the bounds of the interval from which a reset with the given options samples the initial position."""
        return maybe_parse_reset_bounds(options, *START)

    def drive(self, position: NDArray[Any], velocity: NDArray[Any]) -> NDArray[np.bool_]:
        """Update the positions and velocities of cars in place, and return a mask of the cars at the goal."""
        np.maximum(velocity, -self.max_speed, out=velocity)
        np.minimum(velocity, self.max_speed, out=velocity)
        position += velocity
        stopped = position <= self.min_position
        if np.count_nonzero(stopped):  # for few cars, this is ten times as fast as `any`
            position[stopped] = self.min_position
            velocity[stopped & (velocity < 0)] = 0.0
        np.minimum(position, self.max_position, out=position)
        arrived: NDArray[np.bool_] = position >= self.goal_position
        arrived &= velocity >= self.goal_velocity
        return arrived

    def height(self, xs: Any) -> NDArray[np.float64]:
        """Return the height (0.1 to 1, in units of the valley) at which the floor is drawn at a position."""
        return np.asarray(np.sin(3 * np.asarray(xs)) * 0.45 + 0.55)

    def new_renderer(self) -> Renderer:
        """Import pygame-ce, and create a renderer for this environment."""
        from gymkernel_env_classic_control.drawing import Renderer
        from gymkernel_env_classic_control.pictures import draw_mountain_car

        return Renderer(draw_mountain_car, (self.screen_width, self.screen_height), "MountainCar")


class Engine(Valley):
    """A base class with the constants of the valley and of an engine with a continuous force.

    Args:
        goal_velocity: the minimum velocity that the car must have at the goal.
    """

    def __init__(self, goal_velocity: float) -> None:
        super().__init__(goal_position=0.45, goal_velocity=goal_velocity)
        self.min_action, self.max_action = -1.0, 1.0
        self.power = 0.0015

    def forces(self) -> Box[np.float32]:
        """Return the action space."""
        return Box(self.min_action, self.max_action, (1,), np.float32)

    def move(self, position: Any, velocity: Any, force: Any) -> tuple[Any, Any, bool]:
        """Move one car with NumPy scalars, and return the position, the velocity, and whether the car is at the goal.

        The dtypes of the state and the force, float32 or float64, determine the rounding. A value that is clipped
        becomes a Python float, which adopts the precision of the other operand.

        Args:
            position: the position of the car, in units of the valley.
            velocity: the velocity of the car, per step.
            force: the engine's force, which is clipped to the bounds of the action space.
        """
        force = min(max(force, self.min_action), self.max_action)
        velocity = accelerate(velocity, force * self.power, GRAVITY * cos(3 * position))
        position, velocity = move_car(position, velocity, self.max_speed, self.min_position, self.max_position)
        return position, velocity, bool(position >= self.goal_position and velocity >= self.goal_velocity)


def accelerate(velocity: Any, push: Any, pull: Any) -> Any:
    """Return the velocity after a step, to which the speed limit has not been applied yet.

    This function and `move_car` are called with numbers, with arrays and from compiled code. Do not change the order of
    the operations. A different order changes the rounding, so trajectories would diverge.

    Args:
        velocity: the velocity before the step.
        push: the acceleration caused by the engine.
        pull: the acceleration caused by gravity, g cos(3x).
    """
    return velocity + (push - pull)


def move_car(position: Any, velocity: Any, fastest: Any, left: Any, right: Any) -> tuple[Any, Any]:
    """Return the position and the velocity of one car after a step, with the limits applied.

    Args:
        position: the position before the step.
        velocity: the result of `accelerate`.
        fastest: the speed limit.
        left: the left end of the valley, where a wall stops the car.
        right: the right end of the valley.
    """
    velocity = min(max(velocity, -fastest), fastest)
    position = min(max(position + velocity, left), right)
    if position == left and velocity < 0:
        velocity -= velocity
    return position, velocity
