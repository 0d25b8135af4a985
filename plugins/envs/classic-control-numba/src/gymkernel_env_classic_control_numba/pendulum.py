"""Pendulum, compiled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_env_classic_control import pendulum_rod
from gymkernel_env_classic_control.pendulum_rod import EFFORT, gains
from gymkernel_env_classic_control.pendulum_vector import PendulumVectorEnv
from gymkernel_env_classic_control_numba.compiled import Compiled, finish, kernel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


__all__ = ["NumbaPendulumVectorEnv"]


class NumbaPendulumVectorEnv(Compiled, PendulumVectorEnv):
    """`Pendulum-v1` vectorised, with steps that numba compiles; the results are equal in every bit.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("numba/Pendulum-v1", num_envs=3)
    >>> envs
    NumbaPendulumVectorEnv(numba/Pendulum-v1, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step([[2.0], [0.0], [-1.0]])
    """

    def parsed(self, actions: ArrayLike) -> NDArray[Any]:
        """Return the torques in N m, within their bounds."""
        if isinstance(actions, np.ndarray) and actions.shape == (self.num_envs, 1):
            kind = actions.dtype.type
            torques = np.empty(self.num_envs, kind)
            if kind in {np.float32, np.float64} and _bound(actions, kind(self.max_torque), torques):
                return torques
        return super().parsed(actions)

    def advance(self, state: NDArray[np.float64], acts: Any, begun: NDArray[np.intp]) -> Any:
        """Step as the base does."""
        kind = acts.dtype.type
        if kind not in {np.float32, np.float64}:
            return super().advance(state, acts, begun)
        pull, push = gains(self)
        constants = self.packed(pull, self.dt, self.max_speed, self.max_episode_steps, 2.0)
        narrow = kind(push), kind(EFFORT), kind(2.0)
        self.last_u[:] = acts
        self.last_u[begun] = 0.0
        return self.stepped(_step, state, acts, begun, (constants, narrow))


cost, turned = kernel(pendulum_rod.cost), kernel(pendulum_rod.turned)


@kernel
def _bound(given: Any, most: Any, torques: Any) -> bool:
    """Bring torques within the strongest, where none of them is NaN."""
    bad = 0
    for i in range(torques.size):
        bad += math.isnan(given[i, 0])
        torques[i] = min(max(given[i, 0], -most), most)
    return bad == 0


@kernel
def _step(start: int, stop: int, state: Any, actions: Any, constants: Any, episodes: Any, results: Any) -> None:
    moved, observations, rewards, terminated, _ = results
    pull, dt, fastest, most, square = constants[0]
    push, price, two = constants[1]  # in the precision of the torques, as in the single environment
    theta, theta_dot = state[0], state[1]
    for i in range(start, stop):
        # Exponents that the compiler does not know: of a known one it makes a product, and pow rounds otherwise.
        rewards[i] = -cost(theta[i], theta_dot[i], price * actions[i] ** two, square)
        faster = turned(theta_dot[i], math.sin(theta[i]), pull, push * actions[i], dt)
        faster = min(max(faster, -fastest), fastest)
        moved[0, i], moved[1, i] = theta[i] + faster * dt, faster
        terminated[i] = False
    finish(start, stop, most, episodes, results)
    for i in range(start, stop):
        observations[i, 0], observations[i, 1] = math.cos(moved[0, i]), math.sin(moved[0, i])
        observations[i, 2] = moved[1, i]
