"""The single-environment version of Pendulum."""

from __future__ import annotations

import struct
from collections.abc import Callable
from math import cos, sin
from typing import Any

import numpy as np
from numpy import empty, float64, ndarray
from numpy.typing import NDArray

from gymkernel_env_classic_control.actions import has_several_axes, single_number
from gymkernel_env_classic_control.pendulum_rod import (
    DEFAULT_X,
    DEFAULT_Y,
    EFFORT,
    Rod,
    angle_normalize,
    cost,
    gains,
    turn_rod,
)
from gymkernel_env_classic_control.single import FLOAT32, ClassicEnv, StepResult

__all__ = ["DEFAULT_X", "DEFAULT_Y", "PendulumEnv", "angle_normalize"]

write_floats: Callable[..., None] = struct.Struct("3f").pack_into


class PendulumEnv(Rod, ClassicEnv[NDArray[np.float32]]):
    """An environment in which a motor must swing up a pendulum that is too heavy for the motor to lift directly.

    One end of a rod is attached to a motor. (The task is from Doya, "Reinforcement learning in continuous time and
    space", Neural Computation 12, 2000. The rod of 1 m and 1 kg, the motor and the reward are the same as in
    Gymnasium.)

    Let u be the torque, m the mass and l the length of the rod, and θ its counterclockwise angle from upright. With the
    semi-implicit Euler method, a step of 0.05 s computes:

        θ' ← θ' + 0.05 (3 g sin θ / (2 l) + 3 u / (m l²)), within ±8 rad/s
        θ ← θ + 0.05 θ'

    Action, `Box(-2, 2, (1,))` of float32: the torque u in N m, which is clipped to the bounds.

    Observation, `Box` of 3 float32. The attribute `state` contains θ and θ' as float64.

    | part | quantity | unit | bounds |
    |---|---|---|---|
    | 0 | cos θ | | ±1 |
    | 1 | sin θ | | ±1 |
    | 2 | angular velocity θ' | rad/s | ±8 |

    Reward: -(θ² + 0.1 θ'² + 0.001 u²), with the values before the step and with θ between -π and π. The reward is
    between -16.27 and 0.

    Episodes do not terminate. `TimeLimit`, which `make` adds, truncates them after 200 steps.

    Reset: θ is sampled uniformly between -π and π, and θ' between -1 and 1 rad/s. `options["x_init"]` and
    `options["y_init"]` replace the bounds π and 1.

    Args:
        render_mode: "rgb_array", "human" (a window) or None.
        g: the acceleration of gravity in m/s².

    Raises:
        UnsupportedMode: if the render mode is not supported.

    >>> import gymkernel as gym
    >>> env = gym.make("Pendulum-v1", g=9.81)
    >>> observation, info = env.reset(seed=123, options={"x_init": np.pi / 2, "y_init": 0.5})
    >>> observation
    array([ 0.8403459 ,  0.54205054, -0.44617897], dtype=float32)
    >>> observation, reward, terminated, truncated, info = env.step(np.array([1.5], np.float32))
    >>> float(round(reward, 4)), terminated
    (-0.3503, False)
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 30}  # noqa: RUF012 - Env declares it without ClassVar

    def __init__(self, render_mode: str | None = None, g: float = 10.0) -> None:
        Rod.__init__(self, g)
        self._initialize(render_mode)
        self.last_u: float | None = None
        self.action_space = self.torques()
        self.observation_space = self.observation_bounds()

    def step(self, u: NDArray[np.float32]) -> StepResult:
        """Apply the torque for 0.05 s, and raise the same exceptions as the base class."""
        torque: Any = u[0] if type(u) is ndarray and u.dtype is FLOAT32 and u.shape == (1,) else None
        strongest = self.max_torque
        if torque is None or not -strongest <= float(torque) <= strongest:
            if torque is None and has_several_axes(u):
                return self._step_several_axes(u)
            torque = single_number(u, "a torque in N m")
            torque = type(torque)(min(max(torque, -strongest), strongest))
        try:
            theta, theta_dot = self._state
        except TypeError:
            if self._array is not None and self._array.ndim > 1:
                return self._step_several_axes(u)
            theta, theta_dot = self._numbers()
        pull, push = gains(self)
        # the dtype of the torque affects the result
        spent = cost(theta, theta_dot, float(EFFORT * torque**2), 2)
        dt, limit = self.dt, self.max_speed
        theta_dot = turn_rod(theta_dot, sin(theta), pull, float(push * torque), dt)
        if not -limit <= theta_dot <= limit:
            theta_dot = float(limit if theta_dot > limit else -limit)
        theta += theta_dot * dt
        self._state, self.last_u = (theta, theta_dot), float(torque)
        observation = empty(3, FLOAT32)
        write_floats(observation, 0, cos(theta), sin(theta), theta_dot)
        if self._shown:
            self.render()
        return observation, float64(-spent), False, False, {}

    def _step_several_axes(self, u: Any) -> StepResult:
        """Perform a step with a torque array that has several axes, for example an array of shape (1, 1).

        As in Gymnasium, the state, the observation and the reward get the same additional axes. The next reset restores
        the usual shape of the state.
        """
        state = self.state
        if state is None:
            self._numbers()
        torque: Any = np.clip(np.asarray(u), -self.max_torque, self.max_torque)[0]
        theta, theta_dot = np.array(state)
        pull, push = gains(self)
        spent = cost(theta, theta_dot, EFFORT * (torque**2), 2)
        theta_dot = turn_rod(theta_dot, np.sin(theta), pull, push * torque, self.dt)
        theta_dot = np.clip(theta_dot, -self.max_speed, self.max_speed)
        theta = theta + theta_dot * self.dt
        self._array, self._state, self.last_u = np.array([theta, theta_dot]), None, float(np.ravel(torque)[0])
        observation = np.array([np.cos(theta), np.sin(theta), theta_dot], FLOAT32)
        if self._shown:
            self.render()
        return observation, -spent, False, False, {}

    def _start(self, low: Any, high: Any) -> NDArray[np.float32]:
        self._state, self.last_u = tuple(self.np_random.uniform(low, high).tolist()), None
        theta, theta_dot = self._state
        return np.array((cos(theta), sin(theta), theta_dot), FLOAT32)

    def _picture_numbers(self) -> tuple[float, ...]:
        if self._state is None and self._array is not None and self._array.ndim > 1:
            return *self._array.reshape(2, -1)[:, 0].tolist(), self.last_u or 0.0
        return *super()._picture_numbers(), self.last_u or 0.0
