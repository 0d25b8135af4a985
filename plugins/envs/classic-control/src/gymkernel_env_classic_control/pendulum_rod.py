"""The constants and equations of a pendulum's rod, which all versions of Pendulum share."""

from __future__ import annotations

from collections.abc import Mapping
from math import pi
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel_env_classic_control.utils import number_option
from gymkernel_space_box import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_classic_control.drawing import Renderer

__all__ = ["DEFAULT_X", "DEFAULT_Y", "EFFORT", "Rod", "angle_normalize", "cost", "gains", "turn_rod"]

TURN = 2 * pi
DEFAULT_X, DEFAULT_Y = pi, 1.0
"""The default bounds of the initial angle (rad) and the initial angular velocity (rad/s)."""
EFFORT = 0.001
"""The coefficient of the squared torque in the cost."""


class Rod:
    """A base class with the constants of a rod that is swung by a motor at one of its ends.

    Every step reads the constants from the attributes, so programs can change the constants.

    Args:
        g: the acceleration of gravity in m/s².
    """

    parts: ClassVar[tuple[str, ...]] = ("theta", "theta_dot")

    def __init__(self, g: float) -> None:
        self.max_speed = 8  # rad/s
        self.max_torque = 2.0  # N m
        self.dt = 0.05  # s, one step
        self.g = g
        self.m = 1.0  # kg
        self.l = 1.0  # m
        self.screen_dim = 500  # pixels

    def torques(self) -> Box[np.float32]:
        """Return the action space."""
        return Box(-self.max_torque, self.max_torque, (1,), np.float32)

    def observation_bounds(self) -> Box[np.float32]:
        """Return the observation space. The cosine and sine have bounds of ±1. The speed limit bounds the velocity."""
        high = np.array([1.0, 1.0, self.max_speed], np.float32)
        return Box(-high, high, dtype=np.float32)

    def reset_bounds(self, options: Mapping[str, Any] | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the bounds between which a reset samples the angle (rad) and the angular velocity (rad/s).

        Args:
            options: the options of `reset`, which may contain "x_init" (rad, π by default) and "y_init" (rad/s, 1 by
                default).
        """
        options = options or {}
        x, y = number_option(options, "x_init", DEFAULT_X), number_option(options, "y_init", DEFAULT_Y)
        if min(x, y) < 0:
            raise ValueError(f'Expected options["x_init"] and options["y_init"] to be at least 0, got {x} and {y}')
        high = np.array((x, y))
        return -high, high

    def new_renderer(self) -> Renderer:
        """Import pygame-ce, and create a renderer for this environment."""
        from gymkernel_env_classic_control.drawing import Renderer
        from gymkernel_env_classic_control.pictures import draw_pendulum

        return Renderer(draw_pendulum, (self.screen_dim, self.screen_dim), "Pendulum")


def gains(p: Any) -> tuple[Any, Any]:
    """Return 3g/(2l) in 1/s² and 3/(ml²), which are the coefficients of sin(angle) and torque in the acceleration.

    Args:
        p: an object that has the attributes of `Rod`.
    """
    return 3 * p.g / (2 * p.l), 3.0 / (p.m * p.l**2)


def turn_rod(theta_dot: Any, sine: Any, pull: Any, push: Any, dt: Any) -> Any:
    """Return the angular velocity (rad/s) after a step, to which the speed limit has not been applied yet.

    This function and `cost` are called with numbers, with arrays and from compiled code. Do not change the order of the
    operations. A different order changes the rounding, so trajectories would diverge.

    Args:
        theta_dot: the angular velocity before the step.
        sine: the sine of the angle.
        pull: the first result of `gains`.
        push: the second result of `gains` times the torque.
        dt: the duration of a step in s.
    """
    return theta_dot + (pull * sine + push) * dt


def cost(theta: Any, theta_dot: Any, effort: Any, two: Any) -> Any:
    """Return the cost of a step, which is the negative reward.

    Args:
        theta: the angle before the step in rad.
        theta_dot: the angular velocity before the step in rad/s.
        effort: `EFFORT` times the squared torque.
        two: the exponent 2 for numbers, or `SQUARE` for arrays.
    """
    return (((theta + pi) % TURN) - pi) ** two + 0.1 * theta_dot**two + effort


def angle_normalize(x: Any) -> Any:
    """Wrap an angle (rad) to the half-open interval [-π, π).

    Args:
        x: an angle in radians, or an array of angles of any shape.

    >>> round(angle_normalize(1.5 * pi), 4)
    -1.5708
    """
    return ((x + pi) % TURN) - pi
