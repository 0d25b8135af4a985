"""The Pendulum environment, written as functions of a state."""

from __future__ import annotations

from math import cos, sin
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gymkernel_env_classic_control.pendulum_rod import DEFAULT_X, DEFAULT_Y, EFFORT, Rod, cost, gains, turn_rod
from gymkernel_env_classic_control.powers import PRODUCT
from gymkernel_env_functional.func_env import FuncEnv

__all__ = ["PendulumFunctional", "PendulumParams"]

Floats = NDArray[np.float64]
SYSTEM = Rod(g=10.0)


class PendulumParams(NamedTuple):
    """The parameters of `PendulumFunctional`.

    Attributes:
        max_speed: the limit of the angular velocity in rad/s.
        max_torque: the limit of the torque in N m.
        dt: the duration of a step in s.
        g: the acceleration of gravity in m/s².
        m: the mass of the rod in kg.
        l: the length of the rod in m.
        high_x: the bound of initial angles (rad), which are sampled between -high_x and high_x.
        high_y: the bound of initial angular velocities (rad/s), which are sampled between -high_y and high_y.
    """

    max_speed: float = float(SYSTEM.max_speed)
    max_torque: float = SYSTEM.max_torque
    dt: float = SYSTEM.dt
    g: float = SYSTEM.g
    m: float = SYSTEM.m
    l: float = SYSTEM.l  # noqa: E741 - Gymnasium uses this name
    high_x: float = DEFAULT_X
    high_y: float = DEFAULT_Y


DEFAULT = PendulumParams()


class PendulumFunctional(FuncEnv[Floats, NDArray[np.float32], Any, Any, Any, Any, PendulumParams]):
    """The Pendulum environment, in which a weak motor must swing up a rod, written as functions of a state.

    A state is a float64 array of shape (..., 2): the angle from upright (rad, counterclockwise) and the angular
    velocity (rad/s). The functions accept a single state, or many states along leading axes. Actions are torques (N m)
    of shape (..., 1). Observations, rewards and dynamics are the same as in Pendulum-v1.

    Args:
        options: a dictionary of attributes to set on this object.

    >>> functions, rng = PendulumFunctional(), np.random.default_rng(0)
    >>> state = np.array([np.pi / 2, 0.0])
    >>> functions.transition(state, np.array([0.0]), rng).round(4).tolist()
    [1.6083, 0.75]
    >>> round(float(functions.reward(state, np.array([0.0]), state, rng)), 4)
    -2.4674
    """

    batched = True

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        super().__init__(options)
        self.observation_space, self.action_space = SYSTEM.observation_bounds(), SYSTEM.torques()

    def initial(self, rng: Any, params: PendulumParams | None = None) -> Floats:
        """Sample the initial angle and angular velocity uniformly."""
        p = params or DEFAULT
        high = np.array([p.high_x, p.high_y])
        initial_state: Floats = rng.uniform(-high, high)
        return initial_state

    def transition(self, state: Floats, action: Any, rng: Any, params: PendulumParams | None = None) -> Floats:
        """Return the state after a step of 0.05 s, which is computed with the semi-implicit Euler method."""
        p = params or DEFAULT
        theta, theta_dot = state[..., 0], state[..., 1]
        pull, push = gains(p)
        speed = turn_rod(theta_dot, np.sin(theta), pull, push * self._torque(action, p), p.dt)
        speed = np.clip(speed, -p.max_speed, p.max_speed)
        return np.stack([theta + speed * p.dt, speed], axis=-1)

    def _torque(self, action: Any, p: PendulumParams) -> Any:
        return np.clip(np.asarray(action)[..., 0], -p.max_torque, p.max_torque)

    def observation(self, state: Floats, rng: Any, params: PendulumParams | None = None) -> NDArray[np.float32]:
        """Return the cosine and the sine of the angle, and the angular velocity."""
        theta, theta_dot = state[..., 0], state[..., 1]
        return np.stack([np.cos(theta), np.sin(theta), theta_dot], axis=-1).astype(np.float32)

    def reward(
        self, state: Floats, action: Any, next_state: Floats, rng: Any, params: PendulumParams | None = None
    ) -> Any:
        """Return the reward, which is the negative cost of the torque and of the state before the step."""
        p = params or DEFAULT
        return -cost(state[..., 0], state[..., 1], EFFORT * self._torque(action, p) ** PRODUCT, PRODUCT)

    def terminal(self, state: Floats, rng: Any, params: PendulumParams | None = None) -> Any:
        """Return False, because episodes do not terminate."""
        return np.zeros(np.shape(state)[:-1], np.bool_)

    def get_default_params(self, **kwargs: Any) -> PendulumParams:
        """Return the default parameters. A keyword argument replaces the parameter of the same name."""
        return PendulumParams(**kwargs)

    def render_init(self, params: PendulumParams | None = None, **kwargs: Any) -> Any:
        """Return an empty tuple, because rendering needs no state of its own."""
        return ()

    def render_image(
        self, state: Floats, render_state: Any, params: PendulumParams | None = None
    ) -> tuple[Any, NDArray[np.uint8]]:
        """Draw the rod, and return a uint8 array of shape (500, 500, 3)."""
        from gymkernel_env_functional.pictures import Canvas

        theta = float(state[0])
        canvas = Canvas(500, 500, (247, 248, 250))
        middle = (250.0, 250.0)
        canvas.line((228, 231, 236), middle, middle, 420)
        canvas.line((247, 248, 250), middle, middle, 410)
        end = 250 - 190 * sin(theta), 250 - 190 * cos(theta)
        canvas.line((201, 81, 81), middle, end, 34)
        canvas.line((32, 38, 46), middle, middle, 14)
        return render_state, canvas.image()
