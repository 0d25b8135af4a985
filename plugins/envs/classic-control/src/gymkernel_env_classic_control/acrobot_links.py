"""The two links of the acrobot: what one environment and many at once have in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import cos, pi, sin
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from gymkernel_env_classic_control.utils import maybe_parse_reset_bounds
from gymkernel_space_box import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_classic_control.drawing import Renderer

__all__ = ["Factors", "Links", "first_observation"]

START = 0.1
"""A new episode draws each of the four parts of its state uniformly from -START to START (rad, rad, rad/s, rad/s)."""
GRAVITY = 9.8
Numbers = tuple[float, float, float, float]


class Factors(NamedTuple):
    """What the lengths and masses contribute to the equations of motion; the names follow them."""

    own: float
    """m₁ c₁²"""
    m2: float
    lengths: float
    """l₁² + c₂²"""
    reach: float
    """l₁ c₂"""
    lower: float
    """c₂²"""
    inertia: float
    turning: float
    """m₂ l₁ c₂"""
    inner: float
    """m₂ c₂² + I"""
    weight1: float
    """(m₁ c₁ + m₂ l₁) g"""
    weight2: float
    """m₂ c₂ g"""


class Links:
    """Two links, the motor between them, and the limits of their speeds, as attributes of the class."""

    parts: ClassVar[tuple[str, ...]] = ("theta1", "theta2", "theta1_dot", "theta2_dot")

    dt = 0.2  # s, one step
    LINK_LENGTH_1 = 1.0  # m
    LINK_LENGTH_2 = 1.0  # m, for the picture
    LINK_MASS_1 = 1.0  # kg
    LINK_MASS_2 = 1.0  # kg
    LINK_COM_POS_1 = 0.5  # m, from the upper joint of a link to its centre of mass
    LINK_COM_POS_2 = 0.5  # m
    LINK_MOI = 1.0  # kg m², of both links
    MAX_VEL_1 = 4 * pi  # rad/s
    MAX_VEL_2 = 9 * pi  # rad/s
    AVAIL_TORQUE: ClassVar[list[float]] = [-1.0, 0.0, +1]  # N m
    torque_noise_max = 0.0  # N m, uniformly in both directions
    SCREEN_DIM = 500  # pixels
    book_or_nips = "book"  # whose equations of motion
    actions_num = 3

    def observation_bounds(self) -> Box[np.float32]:
        """Cosines and sines, and the speed limits."""
        high = np.array([1.0, 1.0, 1.0, 1.0, self.MAX_VEL_1, self.MAX_VEL_2], np.float32)
        return Box(-high, high, dtype=np.float32)

    def reset_bounds(self, options: Mapping[str, Any] | None) -> tuple[float, float]:
        """Between what a reset with these options draws."""
        return maybe_parse_reset_bounds(options, -START, START)

    def factors(self) -> Factors:
        """The factors of the equations of motion, multiplied in the order of the equations."""
        m1, m2 = self.LINK_MASS_1, self.LINK_MASS_2
        l1, c1, c2 = self.LINK_LENGTH_1, self.LINK_COM_POS_1, self.LINK_COM_POS_2
        inertia = self.LINK_MOI
        return Factors(
            own=m1 * c1**2,
            m2=m2,
            lengths=l1**2 + c2**2,
            reach=l1 * c2,
            lower=c2**2,
            inertia=inertia,
            turning=m2 * l1 * c2,
            inner=m2 * c2**2 + inertia,
            weight1=(m1 * c1 + m2 * l1) * GRAVITY,
            weight2=m2 * c2 * GRAVITY,
        )

    def integrated(self, state: Sequence[float], rates: Callable[[float, float, float, float], Numbers]) -> Numbers:
        """The state after `dt`, by one step of Runge and Kutta; for one environment."""
        dt = self.dt
        half, sixth = dt / 2.0, dt / 6.0
        t1, t2, s1, s2 = state
        a1, a2, a3, a4 = rates(t1, t2, s1, s2)
        b1, b2, b3, b4 = rates(t1 + half * a1, t2 + half * a2, s1 + half * a3, s2 + half * a4)
        c1, c2, c3, c4 = rates(t1 + half * b1, t2 + half * b2, s1 + half * b3, s2 + half * b4)
        d1, d2, d3, d4 = rates(t1 + dt * c1, t2 + dt * c2, s1 + dt * c3, s2 + dt * c4)
        return (
            t1 + sixth * (a1 + 2 * b1 + 2 * c1 + d1),
            t2 + sixth * (a2 + 2 * b2 + 2 * c2 + d2),
            s1 + sixth * (a3 + 2 * b3 + 2 * c3 + d3),
            s2 + sixth * (a4 + 2 * b4 + 2 * c4 + d4),
        )

    def rates(self, torque: float) -> Callable[[float, float, float, float], Numbers]:
        """How fast the state changes under a torque, as a function of the state.

        The order of the operations is part of the result: another order rounds differently, and trajectories part.
        `x**2` is not `x * x`: the power is off by one unit in the last place, once in a thousand.
        """
        own, m2, lengths, reach, lower, inertia, turning, inner, weight1, weight2 = self.factors()
        nips = self.book_or_nips == "nips"

        def rates(t1: float, t2: float, s1: float, s2: float) -> Numbers:
            cosine, sine = cos(t2), sin(t2)
            d1 = own + m2 * (lengths + 2 * reach * cosine) + inertia + inertia
            d2 = m2 * (lower + reach * cosine) + inertia
            phi2 = weight2 * cos(t1 + t2 - pi / 2)
            swing = -turning * s2**2 * sine - 2 * turning * s2 * s1 * sine
            phi1 = swing + weight1 * cos(t1 - pi / 2) + phi2
            push = torque + d2 / d1 * phi1
            if not nips:
                push -= turning * s1**2 * sine
            acc2 = (push - phi2) / (inner - d2**2 / d1)
            return s1, s2, -(d2 * acc2 + phi1) / d1, acc2

        return rates

    def new_renderer(self) -> Renderer:
        """What draws; pygame-ce is imported here."""
        from gymkernel_env_classic_control.drawing import Renderer
        from gymkernel_env_classic_control.pictures import draw_acrobot

        return Renderer(draw_acrobot, (self.SCREEN_DIM, self.SCREEN_DIM), "Acrobot")


def first_observation(state: NDArray[np.float32]) -> NDArray[np.float32]:
    """What is seen of states at the beginning of episodes: cosines and sines are taken in float32 there.

    Args:
        state: float32 of (4,), or of (4, n) for n environments.

    Returns:
        float32 of (6,), or of (6, n).
    """
    angles = state[:2]
    seen = np.empty((6, *state.shape[1:]), np.float32)
    seen[0:4:2], seen[1:4:2], seen[4:] = np.cos(angles), np.sin(angles), state[2:]
    return seen
