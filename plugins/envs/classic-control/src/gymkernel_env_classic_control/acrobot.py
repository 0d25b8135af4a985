"""The single-environment version of Acrobot."""

from __future__ import annotations

import struct
from collections.abc import Callable
from math import cos, pi, sin
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import empty

from gymkernel_env_classic_control.acrobot_links import Links, integrate, observe, rk4
from gymkernel_env_classic_control.actions import LEFT, RIGHT, invalid_choice
from gymkernel_env_classic_control.single import FLOAT32, ClassicEnv, StepResult
from gymkernel_space_discrete import Discrete

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AcrobotEnv", "bound", "rk4", "wrap"]

write_floats: Callable[..., None] = struct.Struct("6f").pack_into


class AcrobotEnv(Links, ClassicEnv["int | np.integer[Any]"]):
    """An environment in which a motor in the elbow of a double pendulum must swing the free end above a bar.

    Two links hang from a fixed joint, and a motor drives the joint between the links. (Sutton, "Generalization in
    reinforcement learning: successful examples using sparse coarse coding", NIPS 8, 1996; Sutton and Barto,
    "Reinforcement learning: an introduction", 2nd edition, 2018, section 15.11 and the equations in its first edition,
    section 11.3.)

    Let θ₁ be the angle between the upper link and its hanging position, θ₂ the angle between the lower and the upper
    link, τ the torque, m₁ and m₂ the masses of the links, l₁ the length of the upper link, c₁ and c₂ the distances from
    each link's upper joint to its centre of mass, I the moment of inertia of each link, and g = 9.8 m/s² the
    acceleration of gravity. The equations

        d₁ = m₁ c₁² + m₂ (l₁² + c₂² + 2 l₁ c₂ cos θ₂) + 2 I
        d₂ = m₂ (c₂² + l₁ c₂ cos θ₂) + I
        φ₂ = m₂ c₂ g cos(θ₁ + θ₂ - π/2)
        φ₁ = -m₂ l₁ c₂ θ₂'² sin θ₂ - 2 m₂ l₁ c₂ θ₂' θ₁' sin θ₂ + (m₁ c₁ + m₂ l₁) g cos(θ₁ - π/2) + φ₂
        θ₂'' = (τ + φ₁ d₂ / d₁ - m₂ l₁ c₂ θ₁'² sin θ₂ - φ₂) / (m₂ c₂² + I - d₂² / d₁)
        θ₁'' = -(d₂ θ₂'' + φ₁) / d₁

    are integrated over 0.2 s with one step of the fourth-order Runge-Kutta method. With `book_or_nips = "nips"`, the
    term with θ₁'² is omitted, as in the paper. However, the paper's results were computed with the equations from the
    book.

    Action, `Discrete(3)`: a torque of -1, 0 or 1 N m (`AVAIL_TORQUE`). If `torque_noise_max` is greater than 0, random
    noise of at most that many N m is added.

    Observation, `Box` of 6 float32. The attribute `state` contains θ₁, θ₂, θ₁', θ₂' as float64.

    | part | quantity | unit | bounds |
    |---|---|---|---|
    | 0, 1 | cos θ₁, sin θ₁ | | ±1 |
    | 2, 3 | cos θ₂, sin θ₂ | | ±1 |
    | 4 | angular velocity θ₁' | rad/s | ±4π |
    | 5 | angular velocity θ₂' | rad/s | ±9π |

    Reward: -1 for every step, and 0 for the step that reaches the goal.

    Termination: the lower end is more than one link's length above the fixed joint: -cos θ₁ - cos(θ₁ + θ₂) > 1.
    `TimeLimit`, which `make` adds, truncates episodes after 500 steps.

    Reset: the four components of the state are sampled uniformly between -0.1 and 0.1, or between `options["low"]` and
    `options["high"]`, and rounded to float32.

    Every step reads the lengths (m), masses (kg), limits, `dt` (s) and other constants from the attributes.

    Args:
        render_mode: "rgb_array", "human" (a window) or None.

    Raises:
        UnsupportedMode: if the render mode is not supported.

    >>> import gymkernel as gym
    >>> env = gym.make("Acrobot-v1")
    >>> observation, info = env.reset(seed=123, options={"low": -0.2, "high": 0.2})
    >>> observation
    array([ 0.997341  ,  0.07287608,  0.9841162 , -0.17752565, -0.11185605,
           -0.12625128], dtype=float32)
    >>> observation, reward, terminated, truncated, info = env.step(2)
    >>> reward, terminated
    (-1.0, False)
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 15}  # noqa: RUF012 - Env declares it without ClassVar

    def __init__(self, render_mode: str | None = None) -> None:
        self._initialize(render_mode)
        self.action_space = Discrete(3)
        self.observation_space = self.observation_bounds()

    def step(self, a: int | np.integer[Any]) -> StepResult:
        """Apply the torque for 0.2 s, and raise the same exceptions as the base class."""
        try:
            which = index(a)
        except TypeError:
            which = -1
        if not 0 <= which <= 2:
            raise invalid_choice(a, 3)
        try:
            theta1, theta2, speed1, speed2 = self._state
        except TypeError:
            theta1, theta2, speed1, speed2 = self._numbers()
        torque = self.AVAIL_TORQUE[which]
        if self.torque_noise_max > 0:
            torque += self.np_random.uniform(-self.torque_noise_max, self.torque_noise_max)
        theta1, theta2, speed1, speed2 = integrate(2, self.factors(), self.dt, torque, theta1, theta2, speed1, speed2)
        while theta1 > pi:
            theta1 -= 2 * pi
        while theta1 < -pi:
            theta1 += 2 * pi
        while theta2 > pi:
            theta2 -= 2 * pi
        while theta2 < -pi:
            theta2 += 2 * pi
        speed1 = min(max(speed1, -self.MAX_VEL_1), self.MAX_VEL_1)
        speed2 = min(max(speed2, -self.MAX_VEL_2), self.MAX_VEL_2)
        self._state = (theta1, theta2, speed1, speed2)
        cosine1 = cos(theta1)
        observation = empty(6, FLOAT32)
        write_floats(observation, 0, cosine1, sin(theta1), cos(theta2), sin(theta2), speed1, speed2)
        terminated = -cosine1 - cos(theta2 + theta1) > 1.0
        if self._shown:
            self.render()
        return observation, 0.0 if terminated else -1.0, terminated, False, {}

    def _start(self, low: Any, high: Any) -> NDArray[np.float32]:
        state = self.np_random.uniform(low, high, 4).astype(np.float32)
        self._state = tuple(state.tolist())
        return observe(state)

    def get_keys_to_action(self) -> dict[tuple[int, ...], int]:
        """Return the action for each combination of arrow keys in `play`. If no key is pressed, the torque is 0."""
        return {(): 1, (LEFT,): 0, (RIGHT,): 2}

    def get_action_meanings(self) -> list[str]:
        """Return a description of each action."""
        return ["torque -1", "no torque", "torque 1"]


def wrap(x: float, m: float, M: float) -> float:  # noqa: N803 - the parameter names are part of the API
    """Wrap an angle to the interval from `m` to `M`, by adding a multiple of `M - m`.

    Args:
        x: the angle, in the same unit as the bounds.
        m: the smallest angle.
        M: the largest angle, one turn above the smallest.

    >>> wrap(360, -180, 180)
    0
    """
    turn = M - m
    while x > M:
        x -= turn
    while x < m:
        x += turn
    return x


def bound(x: Any, m: Any, M: Any = None) -> Any:  # noqa: N803
    """Clip a number to the interval between two bounds.

    Args:
        x: a number.
        m: the lower bound, or a pair with both bounds if `M` is None.
        M: the upper bound.

    >>> bound(7, 0, 5), bound(-1, (0, 5))
    (5, 0)
    """
    lowest, highest = m if M is None else (m, M)
    return min(max(x, lowest), highest)
