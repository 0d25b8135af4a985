"""The CartPole environment, written as functions of a state."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gymkernel_env_classic_control.cartpole_mechanics import START, Mechanics, accelerations
from gymkernel_env_functional.func_env import FuncEnv
from gymkernel_space_discrete import Discrete

__all__ = ["CartPoleFunctional", "CartPoleParams"]

Floats = NDArray[np.float64]
SYSTEM = Mechanics()


class CartPoleParams(NamedTuple):
    """The parameters of `CartPoleFunctional`.

    Attributes:
        gravity: the acceleration of gravity in m/s².
        masscart: the mass of the cart in kg.
        masspole: the mass of the pole in kg.
        length: half the length of the pole in m.
        force_mag: the force of a push in N.
        tau: the duration of a step in s.
        theta_threshold_radians: the angle of the pole (rad) beyond which an episode ends.
        x_threshold: the position of the cart (m) beyond which an episode ends.
        x_init: the bound of initial states, whose components are sampled uniformly between -x_init and x_init.
        sutton_barto_reward: whether to use the reward from the paper, which is -1 for a step that ends the episode and
            0 for all other steps.
    """

    gravity: float = SYSTEM.gravity
    masscart: float = SYSTEM.masscart
    masspole: float = SYSTEM.masspole
    length: float = SYSTEM.length
    force_mag: float = SYSTEM.force_mag
    tau: float = SYSTEM.tau
    theta_threshold_radians: float = SYSTEM.theta_threshold_radians
    x_threshold: float = SYSTEM.x_threshold
    x_init: float = START
    sutton_barto_reward: bool = False

    @property
    def total_mass(self) -> float:
        """Return the total mass of the cart and the pole in kg."""
        return self.masspole + self.masscart

    @property
    def polemass_length(self) -> float:
        """Return the product of the pole's mass and half its length in kg m."""
        return self.masspole * self.length


DEFAULT = CartPoleParams()


class CartPoleFunctional(FuncEnv[Floats, NDArray[np.float32], Any, Any, Any, Any, CartPoleParams]):
    """The CartPole environment (Barto, Sutton and Anderson, 1983), written as functions of a state.

    A state is a float64 array of shape (..., 4): the position (m) and velocity (m/s) of the cart, and the angle (rad)
    and angular velocity (rad/s) of the pole. The functions accept a single state, or many states along leading axes.
    Actions, observations, rewards and dynamics are the same as in CartPole-v1. The reward is 1 for a step from a state
    that is not terminal, and otherwise 0. With `sutton_barto_reward`, the reward is -1 for a step to a terminal state,
    and otherwise 0.

    Args:
        options: a dictionary of attributes to set on this object.

    >>> functions, rng = CartPoleFunctional(), np.random.default_rng(0)
    >>> state = np.zeros((2, 4))
    >>> reached = functions.transition(state, np.array([0, 1]), rng)
    >>> reached.round(3).tolist()
    [[0.0, -0.195, 0.0, 0.293], [0.0, 0.195, 0.0, -0.293]]
    >>> functions.transition(state, np.array([0, 1]), rng, CartPoleParams(force_mag=20.0))[1, 1].round(3).item()
    0.39
    """

    batched = True

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        super().__init__(options)
        self.observation_space, self.action_space = SYSTEM.observation_bounds(), Discrete(2)

    def initial(self, rng: Any, params: CartPoleParams | None = None) -> Floats:
        """Sample the four components of an initial state uniformly."""
        bound = (params or DEFAULT).x_init
        initial_state: Floats = rng.uniform(-bound, bound, 4)
        return initial_state

    def transition(self, state: Floats, action: Any, rng: Any, params: CartPoleParams | None = None) -> Floats:
        """Return the state after a step of 0.02 s, which is computed with the explicit Euler method."""
        p = params or DEFAULT
        x_dot, theta, theta_dot = state[..., 1], state[..., 2], state[..., 3]
        force = np.where(np.asarray(action) == 1, p.force_mag, -p.force_mag)
        sine, cosine = np.sin(theta), np.cos(theta)
        x_acc, theta_acc = accelerations(p, force, sine, cosine, theta_dot)
        reached: Floats = state + p.tau * np.stack([x_dot, x_acc, theta_dot, theta_acc], axis=-1)
        return reached

    def observation(self, state: Floats, rng: Any, params: CartPoleParams | None = None) -> NDArray[np.float32]:
        """Return the state as a float32 array."""
        return np.asarray(state).astype(np.float32)

    def reward(
        self, state: Floats, action: Any, next_state: Floats, rng: Any, params: CartPoleParams | None = None
    ) -> Any:
        """Return the reward of a step, as described in the class docstring."""
        if (params or DEFAULT).sutton_barto_reward:
            return -np.asarray(self.terminal(next_state, rng, params), np.float64)
        return 1.0 - np.asarray(self.terminal(state, rng, params), np.float64)

    def terminal(self, state: Floats, rng: Any, params: CartPoleParams | None = None) -> Any:
        """Return whether the cart has left the track or the pole has fallen."""
        p = params or DEFAULT
        return (np.abs(state[..., 0]) > p.x_threshold) | (np.abs(state[..., 2]) > p.theta_threshold_radians)

    def get_default_params(self, **kwargs: Any) -> CartPoleParams:
        """Return the default parameters. A keyword argument replaces the parameter of the same name."""
        return CartPoleParams(**kwargs)

    def render_init(self, params: CartPoleParams | None = None, **kwargs: Any) -> Any:
        """Return an empty tuple, because rendering needs no state of its own."""
        return ()

    def render_image(
        self, state: Floats, render_state: Any, params: CartPoleParams | None = None
    ) -> tuple[Any, NDArray[np.uint8]]:
        """Draw the cart and its pole, and return a uint8 array of shape (400, 600, 3)."""
        from gymkernel_env_functional.pictures import Canvas

        p, (x, _, theta, _) = params or DEFAULT, np.asarray(state).tolist()
        metre, rail = 600 / (2 * p.x_threshold), 300.0
        middle = 300 + x * metre
        canvas = Canvas(600, 400, (247, 248, 250))
        canvas.rectangle((228, 231, 236), (300, 350), 600, 100)
        canvas.rectangle((74, 79, 87), (300, rail), 600, 2)
        canvas.rectangle((45, 95, 139), (middle, rail), 50, 30)
        foot, reach = (middle, rail - 8), 2 * p.length * metre
        top = foot[0] + reach * math.sin(theta), foot[1] - reach * math.cos(theta)
        canvas.line((201, 138, 61), foot, top, 10)
        canvas.line((32, 38, 46), foot, foot, 7)
        return render_state, canvas.image()
