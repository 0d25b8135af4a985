"""The constants and equations of Acrobot's two links, which all versions of Acrobot share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import cos, pi, sin
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel_env_classic_control.utils import maybe_parse_reset_bounds
from gymkernel_space_box import Box

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gymkernel_env_classic_control.drawing import Renderer

__all__ = ["Links", "accelerations", "integrate", "observe", "rk4"]

START = 0.1
"""The bound of the four components of an initial state (rad, rad, rad/s, rad/s), which are sampled from -START to
START."""
GRAVITY = 9.8  # m/s²


class Links:
    """A base class with the constants of Acrobot's two links and motor, and with the speed limits."""

    parts: ClassVar[tuple[str, ...]] = ("theta1", "theta2", "theta1_dot", "theta2_dot")

    dt = 0.2  # s, one step
    LINK_LENGTH_1 = 1.0  # m
    LINK_LENGTH_2 = 1.0  # in m, for rendering
    LINK_MASS_1 = 1.0  # kg
    LINK_MASS_2 = 1.0  # kg
    LINK_COM_POS_1 = 0.5  # in m, from the link's upper joint to its centre of mass
    LINK_COM_POS_2 = 0.5  # m
    LINK_MOI = 1.0  # in kg m², for both links
    MAX_VEL_1 = 4 * pi  # rad/s
    MAX_VEL_2 = 9 * pi  # rad/s
    AVAIL_TORQUE: ClassVar[list[float]] = [-1.0, 0.0, +1]  # N m
    torque_noise_max = 0.0  # in N m, the bound of the noise, which is uniformly distributed
    SCREEN_DIM = 500  # pixels
    book_or_nips = "book"  # the source of the equations of motion: "book" or "nips"
    actions_num = 3

    def observation_bounds(self) -> Box[np.float32]:
        """Return the observation space. Cosines and sines have bounds of ±1. The speed limits bound the velocities."""
        high = np.array([1.0, 1.0, 1.0, 1.0, self.MAX_VEL_1, self.MAX_VEL_2], np.float32)
        return Box(-high, high, dtype=np.float32)

    def reset_bounds(self, options: Mapping[str, Any] | None) -> tuple[float, float]:
        """Return the bounds of the interval from which a reset with the given options samples the initial state."""
        return maybe_parse_reset_bounds(options, -START, START)

    def factors(self) -> tuple[float, ...]:
        """Return the terms in `accelerations` that depend only on lengths and masses."""
        m1, m2 = self.LINK_MASS_1, self.LINK_MASS_2
        l1, c1, c2 = self.LINK_LENGTH_1, self.LINK_COM_POS_1, self.LINK_COM_POS_2
        turning, inertia = m2 * l1 * c2, self.LINK_MOI
        return (
            m1 * c1**2,
            m2,
            l1**2 + c2**2,
            l1 * c2,
            c2**2,
            inertia,
            turning,
            0.0 if self.book_or_nips == "nips" else turning,
            m2 * c2**2 + inertia,
            (m1 * c1 + m2 * l1) * GRAVITY,
            m2 * c2 * GRAVITY,
        )

    def new_renderer(self) -> Renderer:
        """Import pygame-ce, and create a renderer for this environment."""
        from gymkernel_env_classic_control.drawing import Renderer
        from gymkernel_env_classic_control.pictures import draw_acrobot

        return Renderer(draw_acrobot, (self.SCREEN_DIM, self.SCREEN_DIM), "Acrobot")


def accelerations(
    two: Any, factors: Sequence[float], torque: Any, s1: Any, s2: Any, cosine: Any, sine: Any, fall1: Any, fall2: Any
) -> tuple[Any, Any]:
    """Return the angular accelerations of the links in rad/s².

    This function is called with numbers, with arrays and from compiled code. Do not change the order of the operations.
    A different order changes the rounding, so trajectories would diverge. Do not replace `x**2` with `x * x` either.
    About one result in a thousand would differ by one unit in the last place.

    Args:
        two: the exponent 2 for numbers, or `SQUARE` for arrays.
        factors: the result of `Links.factors`.
        torque: the torque in the elbow in N m.
        s1: the angular velocity of the upper link in rad/s.
        s2: the angular velocity of the lower link in rad/s.
        cosine: the cosine of the lower link's angle θ₂.
        sine: the sine of the lower link's angle θ₂.
        fall1: the value of cos(θ₁ - π/2).
        fall2: the value of cos(θ₁ + θ₂ - π/2).
    """
    own, m2, lengths, reach, lower, inertia, turning, turning2, inner, weight1, weight2 = factors
    d1 = own + m2 * (lengths + 2 * reach * cosine) + inertia + inertia
    d2 = m2 * (lower + reach * cosine) + inertia
    phi2 = weight2 * fall2
    swing = -turning * s2**two * sine - 2 * turning * s2 * s1 * sine
    phi1 = swing + weight1 * fall1 + phi2
    push = torque + d2 / d1 * phi1 - turning2 * s1**two * sine
    acc2 = (push - phi2) / (inner - d2**two / d1)
    return -(d2 * acc2 + phi1) / d1, acc2


def integrate(
    two: float, factors: Sequence[float], dt: float, torque: float, t1: float, t2: float, s1: float, s2: float
) -> tuple[float, float, float, float]:
    """Integrate the equations of motion over `dt` with one step of the Runge-Kutta method.

    Args:
        two: the exponent 2.
        factors: the result of `Links.factors`.
        dt: the duration of the step in s.
        torque: the torque in the elbow in N m.
        t1: the angle of the upper link in rad.
        t2: the angle of the lower link in rad.
        s1: the angular velocity of the upper link in rad/s.
        s2: the angular velocity of the lower link in rad/s.
    """
    half, sixth = dt / 2.0, dt / 6.0
    a3, a4 = accelerations(two, factors, torque, s1, s2, cos(t2), sin(t2), cos(t1 - pi / 2), cos(t1 + t2 - pi / 2))
    u1, u2, b1, b2 = t1 + half * s1, t2 + half * s2, s1 + half * a3, s2 + half * a4
    b3, b4 = accelerations(two, factors, torque, b1, b2, cos(u2), sin(u2), cos(u1 - pi / 2), cos(u1 + u2 - pi / 2))
    u1, u2, c1, c2 = t1 + half * b1, t2 + half * b2, s1 + half * b3, s2 + half * b4
    c3, c4 = accelerations(two, factors, torque, c1, c2, cos(u2), sin(u2), cos(u1 - pi / 2), cos(u1 + u2 - pi / 2))
    u1, u2, d1, d2 = t1 + dt * c1, t2 + dt * c2, s1 + dt * c3, s2 + dt * c4
    d3, d4 = accelerations(two, factors, torque, d1, d2, cos(u2), sin(u2), cos(u1 - pi / 2), cos(u1 + u2 - pi / 2))
    return (
        t1 + sixth * (s1 + 2 * b1 + 2 * c1 + d1),
        t2 + sixth * (s2 + 2 * b2 + 2 * c2 + d2),
        s1 + sixth * (a3 + 2 * b3 + 2 * c3 + d3),
        s2 + sixth * (a4 + 2 * b4 + 2 * c4 + d4),
    )


def rk4(derivs: Callable[[Any], ArrayLike], y0: ArrayLike, t: Sequence[float]) -> NDArray[np.float64]:
    """Solve an ordinary differential equation with the classic fourth-order Runge-Kutta method.

    Args:
        derivs: a function that returns the derivative of a state.
        y0: the initial state, whose first axis is the index of the component.
        t: the points in time. The method takes one step from each point to the next.

    Returns:
        The first four components of the final state. A fifth component, the constant action, is omitted.

    >>> rk4(lambda y: -y, [1.0], np.linspace(0, 1, 11)).round(5)
    array([0.36788])
    """
    state = np.array(y0, np.float64)
    for now, after in pairwise(t):
        step = after - now
        k1 = np.asarray(derivs(state))
        k2 = np.asarray(derivs(state + step / 2 * k1))
        k3 = np.asarray(derivs(state + step / 2 * k2))
        k4 = np.asarray(derivs(state + step * k3))
        change = k1 + 2 * k2
        change += 2 * k3
        change += k4
        change *= step / 6.0
        state = state + change
    return state[:4]


def observe(state: NDArray[Any]) -> NDArray[np.float32]:
    """Return the observations of states. Their cosines and sines are computed with the dtype of the states.

    Args:
        state: an array of shape (4,), or (4, n) for n environments. For initial states, the dtype is float32.

    Returns:
        A float32 array of shape (6,), or (n, 6) for n environments.
    """
    angles = state[:2]
    observations = np.empty((*state.shape[1:], 6), np.float32)
    observations[..., 0:4:2], observations[..., 1:4:2] = np.cos(angles).T, np.sin(angles).T
    observations[..., 4:] = state[2:].T
    return observations
