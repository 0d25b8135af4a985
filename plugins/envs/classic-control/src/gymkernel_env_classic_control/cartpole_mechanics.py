"""The cart and the pole: the constants and the equations that every form of CartPole uses."""

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
"""A new episode draws each of the four parts of its state uniformly from -START to START (m, m/s, rad, rad/s)."""


class Mechanics:
    """A cart on a frictionless track with a pole hinged on the cart, and the limits within which an episode goes on.

    The constants are attributes that every step reads: an environment may be given a longer pole or a weaker push
    between two steps. `total_mass` and `polemass_length` do not follow the attributes that they were computed from.
    """

    parts: ClassVar[tuple[str, ...]] = ("x", "x_dot", "theta", "theta_dot")

    def __init__(self) -> None:
        self.gravity = 9.8  # m/s²
        self.masscart = 1.0  # kg
        self.masspole = 0.1  # kg
        self.total_mass = self.masspole + self.masscart
        self.length = 0.5  # m, from the hinge to the centre of the pole: half of the pole
        self.polemass_length = self.masspole * self.length
        self.force_mag = 10.0  # N
        self.tau = 0.02  # s, one step
        self.kinematics_integrator = "euler"  # anything else: semi-implicit Euler
        self.theta_threshold_radians = 12 * 2 * math.pi / 360
        self.x_threshold = 2.4  # m
        self.screen_width, self.screen_height = 600, 400  # pixels

    def observation_bounds(self) -> Box[np.float32]:
        """Return twice the limits of an episode, which contain the last observation; velocities have no bound."""
        high = np.array([2 * self.x_threshold, np.inf, 2 * self.theta_threshold_radians, np.inf], np.float32)
        return Box(-high, high, dtype=np.float32)

    def reset_bounds(self, options: Mapping[str, Any] | None) -> tuple[float, float]:
        """Return the interval that a reset with these options draws from."""
        return maybe_parse_reset_bounds(options, -START, START)

    def new_renderer(self) -> Renderer:
        """Return what draws the system; pygame-ce is imported here."""
        from gymkernel_env_classic_control.drawing import Renderer
        from gymkernel_env_classic_control.pictures import draw_cartpole

        return Renderer(draw_cartpole, (self.screen_width, self.screen_height), "CartPole")


def accelerations(p: Any, force: Any, sine: Any, cosine: Any, theta_dot: Any) -> tuple[Any, Any]:
    """Return the accelerations of the cart (m/s²) and of the pole (rad/s²).

    Numbers, arrays and compiled code run this function. The order of the operations is part of the result: another
    order rounds differently, and trajectories part.

    Args:
        p: has the constants of `Mechanics` as attributes.
        force: the push on the cart in N.
        sine: of the pole's angle.
        cosine: of the pole's angle.
        theta_dot: the angular velocity of the pole in rad/s.
    """
    total, moment = p.total_mass, p.polemass_length
    x_acc = (force + moment * (theta_dot * theta_dot) * sine) / total
    theta_acc = (p.gravity * sine - cosine * x_acc) / (p.length * (4.0 / 3.0 - p.masspole * (cosine * cosine) / total))
    x_acc -= moment * theta_acc * cosine / total
    return x_acc, theta_acc
