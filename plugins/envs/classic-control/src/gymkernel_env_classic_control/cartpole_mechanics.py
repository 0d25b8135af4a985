"""The constants and equations of a cart with a pole, which all versions of CartPole share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel_env_classic_control.utils import maybe_parse_reset_bounds
from gymkernel_space_box import Box

if TYPE_CHECKING:
    from gymkernel_env_classic_control.drawing import Renderer

__all__ = ["Mechanics", "accelerations"]

START = 0.05
"""The bound of the four components of an initial state (m, m/s, rad, rad/s), which are sampled from -START to START."""


class Mechanics:
    """A base class with the constants of a cart with a pole and the limits beyond which an episode ends.

    Every step reads the attributes, so programs can change a constant, such as the length of the pole, between steps.
    `total_mass` and `polemass_length` are not updated when other attributes change.
    """

    parts: ClassVar[tuple[str, ...]] = ("x", "x_dot", "theta", "theta_dot")

    def __init__(self) -> None:
        self.gravity = 9.8  # m/s²
        self.masscart = 1.0  # kg
        self.masspole = 0.1  # kg
        self.total_mass = self.masspole + self.masscart
        self.length = 0.5  # in m, from the hinge to the centre of the pole
        self.polemass_length = self.masspole * self.length
        self.force_mag = 10.0  # N
        self.tau = 0.02  # s, one step
        self.kinematics_integrator = "euler"  # any other value selects the semi-implicit Euler method
        self.theta_threshold_radians = 12 * 2 * math.pi / 360
        self.x_threshold = 2.4  # m
        self.screen_width, self.screen_height = 600, 400  # pixels

    def observation_bounds(self) -> Box[np.float32]:
        """Return the observation space, whose bounds are twice the limits, so that it contains final observations."""
        high = np.array([2 * self.x_threshold, np.inf, 2 * self.theta_threshold_radians, np.inf], np.float32)
        return Box(-high, high, dtype=np.float32)

    def reset_bounds(self, options: Mapping[str, Any] | None) -> tuple[float, float]:
        """Return the bounds of the interval from which a reset with the given options samples the initial state."""
        return maybe_parse_reset_bounds(options, -START, START)

    def new_renderer(self) -> Renderer:
        """Import pygame-ce, and create a renderer for this environment."""
        from gymkernel_env_classic_control.drawing import Renderer
        from gymkernel_env_classic_control.pictures import draw_cartpole

        return Renderer(draw_cartpole, (self.screen_width, self.screen_height), "CartPole")


def accelerations(p: Any, force: Any, sine: Any, cosine: Any, theta_dot: Any) -> tuple[Any, Any]:
    """Return the cart's acceleration (m/s²) and the pole's angular acceleration (rad/s²).

    This function is called with numbers, with arrays and from compiled code. Do not change the order of the operations.
    A different order changes the rounding, so trajectories would diverge.

    Args:
        p: an object that has the attributes of `Mechanics`.
        force: the force on the cart in N.
        sine: the sine of the pole's angle.
        cosine: the cosine of the pole's angle.
        theta_dot: the angular velocity of the pole in rad/s.
    """
    total, moment = p.total_mass, p.polemass_length
    x_acc = (force + moment * (theta_dot * theta_dot) * sine) / total
    theta_acc = (p.gravity * sine - cosine * x_acc) / (p.length * (4.0 / 3.0 - p.masspole * (cosine * cosine) / total))
    x_acc -= moment * theta_acc * cosine / total
    return x_acc, theta_acc
