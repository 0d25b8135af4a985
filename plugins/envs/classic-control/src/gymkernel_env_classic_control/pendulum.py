"""Pendulum, one environment."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from math import cos, pi, sin
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gymkernel_env_classic_control import later
from gymkernel_env_classic_control.actions import is_spread, only_number
from gymkernel_env_classic_control.single import ClassicEnv, Observed
from gymkernel_env_classic_control.utils import number_option
from gymkernel_space_box import Box

if TYPE_CHECKING:
    from gymkernel_env_classic_control.drawing import Renderer
    from gymkernel_env_classic_control.pendulum_vector import PendulumVectorEnv
else:
    __getattr__ = later(__name__, "PendulumVectorEnv")

__all__ = ["DEFAULT_X", "DEFAULT_Y", "PendulumEnv", "PendulumVectorEnv", "Rod", "angle_normalize"]

FLOAT32 = np.dtype(np.float32)
TURN = 2 * pi
DEFAULT_X, DEFAULT_Y = pi, 1.0
"""Up to which angle (rad) and angular velocity (rad/s) an episode begins, without options."""
empty, ndarray = np.empty, np.ndarray
write_floats: Callable[..., None] = struct.Struct("3f").pack_into


class Rod:
    """A rod that swings from one of its ends, with a motor there.

    The constants are attributes, read at every step.

    Args:
        g: acceleration of gravity in m/s².
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
        """The action space."""
        return Box(-self.max_torque, self.max_torque, (1,), np.float32)

    def observation_bounds(self) -> Box[np.float32]:
        """Cosine, sine, and the speed limit."""
        high = np.array([1.0, 1.0, self.max_speed], np.float32)
        return Box(-high, high, dtype=np.float32)

    def reset_bounds(self, options: Mapping[str, Any] | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Between what a reset with these options draws: angle (rad) and angular velocity (rad/s).

        Args:
            options: what `reset` was given: "x_init" (rad) and "y_init" (rad/s), where they are not to be π and 1.
        """
        options = options or {}
        x, y = number_option(options, "x_init", DEFAULT_X), number_option(options, "y_init", DEFAULT_Y)
        if min(x, y) < 0:
            raise ValueError(f'Expected options["x_init"] and options["y_init"] of at least 0, got {x} and {y}')
        high = np.array((x, y))
        return -high, high

    def new_renderer(self) -> Renderer:
        """What draws; pygame-ce is imported here."""
        from gymkernel_env_classic_control.drawing import Renderer
        from gymkernel_env_classic_control.pictures import draw_pendulum

        return Renderer(draw_pendulum, (self.screen_dim, self.screen_dim), "Pendulum")


class PendulumEnv(Rod, ClassicEnv[NDArray[np.float32]]):
    """Swing a pendulum up with a motor too weak to lift it, and keep it upright.

    A rod hangs from a motor at one of its ends. (Doya, "Reinforcement learning in continuous time and space", Neural
    Computation 12, 2000, has the task; the rod of 1 m and 1 kg, its motor and its reward are those of this API.)

    With the torque u, the mass m and length l of the rod, and its angle θ from upright, counterclockwise, a step of
    0.05 s is, by semi-implicit Euler:

        θ' ← θ' + 0.05 (3 g sin θ / (2 l) + 3 u / (m l²)), within ±8 rad/s
        θ ← θ + 0.05 θ'

    Action, `Box(-2, 2, (1,))` of float32: the torque u in N m; beyond the bounds, the bound is taken.

    Observation, `Box` of 3 float32; the state, θ and θ', is kept in float64 (`state`):

    | | what | unit | bounds |
    |---|---|---|---|
    | 0 | cos θ | | ±1 |
    | 1 | sin θ | | ±1 |
    | 2 | angular velocity θ' | rad/s | ±8 |

    Reward: -(θ² + 0.1 θ'² + 0.001 u²), with θ from -π to π, all before the step: from -16.27 to 0.

    Episodes do not terminate. Truncation comes from `TimeLimit`, which `make` adds: 200 steps.

    Reset: θ is drawn uniformly from -π to π and θ' from -1 to 1 rad/s, or from minus to plus `options["x_init"]` and
    `options["y_init"]`.

    Args:
        render_mode: "rgb_array", "human" (a window) or None.
        g: acceleration of gravity in m/s².

    Raises:
        UnsupportedMode: another render mode.

    >>> import gymkernel as gym
    >>> env = gym.make("Pendulum-v1", g=9.81)
    >>> observation, info = env.reset(seed=123, options={"x_init": np.pi / 2, "y_init": 0.5})
    >>> observation
    array([ 0.8403459 ,  0.54205054, -0.44617897], dtype=float32)
    >>> observation, reward, terminated, truncated, info = env.step(np.array([1.5], np.float32))
    >>> round(reward, 4), terminated
    (-0.3503, False)
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "rgb_array"], "render_fps": 30}  # noqa: RUF012 - as in Env

    def __init__(self, render_mode: str | None = None, g: float = 10.0) -> None:
        Rod.__init__(self, g)
        self._begin_life(render_mode)
        self.last_u: float | None = None
        self.action_space = self.torques()
        self.observation_space = self.observation_bounds()

    def step(self, u: NDArray[np.float32]) -> Observed:
        """Turn the motor for 0.05 s; InvalidAction and ResetNeeded are raised as the base says."""
        torque: Any = u[0] if type(u) is ndarray and u.dtype is FLOAT32 and u.shape == (1,) else None
        strongest = self.max_torque
        if torque is None or not -strongest <= torque <= strongest:
            if torque is None and is_spread(u):
                return self._step_spread(u)
            torque = only_number(u, "a torque in N m")
            torque = type(torque)(min(max(torque, -strongest), strongest))
        state = self._state
        if type(state) is not tuple:
            if type(state) is ndarray and state.ndim > 1:
                return self._step_spread(u)
            state = self._numbers()
        theta, theta_dot = state
        # The order of the operations, and the torque's own precision, are part of the result.
        effort, push = float(0.001 * torque**2), float(3.0 / (self.m * self.l**2) * torque)
        cost = (((theta + pi) % TURN) - pi) ** 2 + 0.1 * theta_dot**2 + effort
        dt, limit = self.dt, self.max_speed
        theta_dot += (3 * self.g / (2 * self.l) * sin(theta) + push) * dt
        if not -limit <= theta_dot <= limit:
            theta_dot = float(limit if theta_dot > limit else -limit)
        theta += theta_dot * dt
        self._state, self.last_u = (theta, theta_dot), float(torque)
        observation = empty(3, FLOAT32)
        write_floats(observation, 0, cos(theta), sin(theta), theta_dot)
        if self._shown:
            self.render()
        return observation, -cost, False, False, {}

    def _step_spread(self, u: Any) -> Observed:
        """A step with torques in more than one axis, as of shape (1, 1): state, observation and reward get axes, too.

        So it is in the reference, of whose arithmetic it follows. The next reset ends it.
        """
        if self._state is None:
            self._numbers()
        torque: Any = np.clip(np.asarray(u), -self.max_torque, self.max_torque)[0]
        theta, theta_dot = np.array(self._state)
        cost = (((theta + pi) % TURN) - pi) ** 2 + 0.1 * theta_dot**2 + 0.001 * (torque**2)
        pull, push = 3 * self.g / (2 * self.l) * np.sin(theta), 3.0 / (self.m * self.l**2) * torque
        theta_dot = np.clip(theta_dot + (pull + push) * self.dt, -self.max_speed, self.max_speed)
        theta = theta + theta_dot * self.dt
        self._state, self.last_u = np.array([theta, theta_dot]), float(np.ravel(torque)[0])
        observation = np.array([np.cos(theta), np.sin(theta), theta_dot], FLOAT32)
        if self._shown:
            self.render()
        return observation, -cost, False, False, {}

    def _start(self, low: Any, high: Any) -> NDArray[np.float32]:
        self._state, self.last_u = tuple(self.np_random.uniform(low, high).tolist()), None
        theta, theta_dot = self._state
        return np.array((cos(theta), sin(theta), theta_dot), FLOAT32)

    def _drawn(self) -> tuple[float, ...]:
        state = self._state
        spread = type(state) is ndarray and state.ndim > 1
        drawn = state.reshape(2, -1)[:, 0].tolist() if spread else super()._drawn()  # type: ignore[union-attr]
        return *drawn, self.last_u or 0.0


def angle_normalize(x: Any) -> Any:
    """The same angle (rad) in the half-open interval from -π to π; numbers and arrays alike.

    Args:
        x: any angle in radians, or an array of them of any shape.

    >>> round(angle_normalize(1.5 * pi), 4)
    -1.5708
    """
    return ((x + pi) % TURN) - pi
