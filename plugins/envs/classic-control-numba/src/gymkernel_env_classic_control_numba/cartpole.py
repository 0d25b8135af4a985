"""CartPole, compiled."""

from __future__ import annotations

import math
from collections import namedtuple
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_env_classic_control import cartpole_mechanics
from gymkernel_env_classic_control.cartpole_vector import CartPoleVectorEnv
from gymkernel_env_classic_control_numba.compiled import Compiled, finish, kernel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


__all__ = ["NumbaCartPoleVectorEnv"]

MECHANICS = "gravity", "total_mass", "masspole", "length", "polemass_length", "force_mag", "tau"
Mechanics = namedtuple("Mechanics", MECHANICS)  # noqa: PYI024 - numba does not take a class of typing
get_mechanics = attrgetter(*MECHANICS)
get_limits = attrgetter("theta_threshold_radians", "x_threshold", "_sutton_barto_reward", "max_episode_steps")


class NumbaCartPoleVectorEnv(Compiled, CartPoleVectorEnv):
    """The vectorised form of `CartPole-v1` with steps that numba compiles; the results are equal in every bit.

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

    def parsed(self, actions: ArrayLike) -> NDArray[Any]:
        """Return the actions after checking them."""
        return self.chosen(actions, 2)

    def advance(self, state: NDArray[np.float64], acts: Any, begun: NDArray[np.intp]) -> Any:
        """Step as the base does."""
        euler = self.kinematics_integrator == "euler"
        return self.stepped(_step, state, acts, begun, self.packed(*get_mechanics(self), euler, *get_limits(self)))


accelerations = kernel(cartpole_mechanics.accelerations)


@kernel
def _step(start: int, stop: int, state: Any, actions: Any, constants: Any, episodes: Any, results: Any) -> None:
    moved, observations, rewards, terminated, _ = results
    p = Mechanics(constants[0], constants[1], constants[2], constants[3], constants[4], constants[5], constants[6])
    push, tau = p.force_mag, p.tau
    euler, tilt, limit, paper, most = constants[7:]
    x, x_dot, theta, theta_dot = state[0], state[1], state[2], state[3]
    new_x, new_x_dot, new_theta, new_theta_dot = moved[0], moved[1], moved[2], moved[3]
    for i in range(start, stop):  # apart from the rest, which the processor does for several environments at once
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
