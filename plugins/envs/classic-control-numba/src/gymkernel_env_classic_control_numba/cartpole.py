"""The CartPole vector environment, compiled by numba."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gymkernel_env_classic_control import cartpole_mechanics
from gymkernel_env_classic_control.cartpole_vector import CartPoleVectorEnv
from gymkernel_env_classic_control_numba.compiled import Compiled, finish, kernel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


__all__ = ["NumbaCartPoleVectorEnv"]


class Constants(NamedTuple):
    """The constants from `Mechanics` that a step uses."""

    gravity: float
    total_mass: float
    masspole: float
    length: float
    polemass_length: float
    force_mag: float
    tau: float


get_constants = attrgetter(*Constants._fields)
get_limits = attrgetter("theta_threshold_radians", "x_threshold", "_sutton_barto_reward", "max_episode_steps")


class NumbaCartPoleVectorEnv(Compiled, CartPoleVectorEnv):
    """A vector environment for `CartPole-v1` compiled by numba. The results are the same as with NumPy.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("numba/CartPole-v1", num_envs=3)
    >>> envs
    NumbaCartPoleVectorEnv(numba/CartPole-v1, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step([1, 0, 1])
    >>> rewards
    array([1., 1., 1.], dtype=float32)
    """

    reward_type = np.float32

    def parse_actions(self, actions: ArrayLike) -> NDArray[Any]:
        """Check a batch of actions, and return the actions as an array."""
        return self.check_choices(actions, 2)

    def advance(self, state: NDArray[np.float64], acts: Any, starting: NDArray[np.intp]) -> Any:
        """Compute the same results as the base class, but with a compiled function."""
        euler = self.kinematics_integrator == "euler"
        return self.run_step(
            _step, state, acts, starting, self.pack_constants(*get_constants(self), euler, *get_limits(self))
        )


accelerations = kernel(cartpole_mechanics.accelerations)


@kernel
def _step(start: int, stop: int, state: Any, actions: Any, constants: Any, episodes: Any, results: Any) -> None:
    moved, observations, rewards, terminated, _ = results
    p = Constants(constants[0], constants[1], constants[2], constants[3], constants[4], constants[5], constants[6])
    push, tau = p.force_mag, p.tau
    euler, tilt, limit, paper, most = constants[7:]
    x, x_dot, theta, theta_dot = state[0], state[1], state[2], state[3]
    new_x, new_x_dot, new_theta, new_theta_dot = moved[0], moved[1], moved[2], moved[3]
    for i in range(start, stop):  # a separate loop, so that the compiler can vectorise the other loops
        new_x[i], new_theta[i] = math.sin(theta[i]), math.cos(theta[i])
    for i in range(start, stop):
        force = push if actions[i] == 1 else -push
        x_acc, theta_acc = accelerations(p, force, new_x[i], new_theta[i], theta_dot[i])
        new_x_dot[i], new_theta_dot[i] = x_dot[i] + tau * x_acc, theta_dot[i] + tau * theta_acc
    if euler:
        for i in range(start, stop):
            new_x[i], new_theta[i] = x[i] + tau * x_dot[i], theta[i] + tau * theta_dot[i]
    else:
        for i in range(start, stop):
            new_x[i], new_theta[i] = x[i] + tau * new_x_dot[i], theta[i] + tau * new_theta_dot[i]
    for i in range(start, stop):
        terminated[i] = (abs(new_x[i]) > limit) | (abs(new_theta[i]) > tilt)
    for i in range(start, stop):
        rewards[i] = -np.float32(terminated[i]) if paper else np.float32(1.0)
    finish(start, stop, most, episodes, results)
    for i in range(start, stop):
        for k in range(4):
            observations[i, k] = moved[k, i]
