"""The cart and the pole: what one environment and many at once have in common."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.spaces import Box

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["Mechanics", "checked_state", "reset_bounds"]

LARGEST = float(np.finfo(np.float32).max)
START = 0.05
"""A new episode draws each of the four parts of its state uniformly from -START to START (m, m/s, rad, rad/s)."""


class Mechanics:
    """A cart on a frictionless track with a pole hinged on it, and the limits within which an episode goes on.

    The constants are attributes, read at every step: an environment may be given a longer pole or a weaker push between
    two steps. `total_mass` and `polemass_length` do not follow the attributes that they were computed from.
    """

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
        """Twice the limits of an episode, so that a last observation is inside; velocities have no bound."""
        high = np.array([2 * self.x_threshold, np.inf, 2 * self.theta_threshold_radians, np.inf], np.float32)
        return Box(-high, high, dtype=np.float32)


def reset_bounds(options: Mapping[str, Any] | None) -> tuple[float, float]:
    """The interval that a reset draws from: `options["low"]` and `options["high"]`, by default -0.05 and 0.05.

    Raises:
        ValueError: a bound is not a finite number, or they are crossed.

    >>> reset_bounds({"high": 0.2})
    (-0.05, 0.2)
    """
    if not options:
        return -START, START
    low, high = _number("low", options.get("low", -START)), _number("high", options.get("high", START))
    if low > high:
        raise ValueError(f'Expected options["low"] <= options["high"], got {low} and {high}')
    return low, high


def _number(name: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f'Expected options["{name}"] to be a finite number, got {value!r} ({type(value).__name__})')
    return number


def checked_state(value: Any, shape: tuple[int, ...]) -> NDArray[np.float64] | None:
    """A state that is set from outside, as an array of its own; None takes the state away."""
    if value is None:
        return None
    state = np.array(value, np.float64)
    if state.shape != shape or not (np.abs(state) <= LARGEST).all():
        raise ValueError(f"Expected x, x_dot, theta, theta_dot: finite float32 numbers of shape {shape}, got {value!r}")
    return state
