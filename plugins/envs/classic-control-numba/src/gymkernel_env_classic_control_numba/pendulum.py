"""The Pendulum vector environment, compiled by numba."""

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
    """A vector environment for `Pendulum-v1` compiled by numba. The results are the same as with NumPy.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("numba/Pendulum-v1", num_envs=3)
    >>> envs
    NumbaPendulumVectorEnv(numba/Pendulum-v1, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step([[2.0], [0.0], [-1.0]])
    """

    def parse_actions(self, actions: ArrayLike) -> NDArray[Any]:
        """Check a batch of actions, and return the clipped torques in N m."""
        if isinstance(actions, np.ndarray) and actions.shape == (self.num_envs, 1):
            kind = actions.dtype.type
            torques = np.empty(self.num_envs, kind)
            if kind in {np.float32, np.float64} and _bound(actions, kind(self.max_torque), torques):
                return torques
        return super().parse_actions(actions)

    def advance(self, state: NDArray[np.float64], acts: Any, starting: NDArray[np.intp]) -> Any:
        """Compute the same results as the base class, but with a compiled function."""
        kind = acts.dtype.type
        if kind not in {np.float32, np.float64}:
            return super().advance(state, acts, starting)
        pull, push = gains(self)
        constants = self.pack_constants(pull, self.dt, self.max_speed, self.max_episode_steps, 2.0)
        narrow = kind(push), kind(EFFORT), kind(2.0)
        self.last_u[:] = acts
        self.last_u[starting] = 0.0
        return self.run_step(_step, state, acts, starting, (constants, narrow))


cost, turn_rod = kernel(pendulum_rod.cost), kernel(pendulum_rod.turn_rod)


@kernel
def _bound(actions: Any, most: Any, torques: Any) -> bool:
    """Clip torques to the maximum torque, and return whether no torque is NaN."""
    bad = 0
    for i in range(torques.size):
        bad += math.isnan(actions[i, 0])
        torques[i] = min(max(actions[i, 0], -most), most)
    return bad == 0


@kernel
def _step(start: int, stop: int, state: Any, actions: Any, constants: Any, episodes: Any, results: Any) -> None:
    moved, observations, rewards, terminated, _ = results
    pull, dt, fastest, most, square = constants[0]
    push, price, two = constants[1]  # keeps the dtype of the torques, as the single environment does
    theta, theta_dot = state[0], state[1]
    for i in range(start, stop):
        # With a constant exponent, the compiler would multiply instead, and a product is rounded differently.
        rewards[i] = -cost(theta[i], theta_dot[i], price * actions[i] ** two, square)
        faster = turn_rod(theta_dot[i], math.sin(theta[i]), pull, push * actions[i], dt)
        faster = min(max(faster, -fastest), fastest)
        moved[0, i], moved[1, i] = theta[i] + faster * dt, faster
        terminated[i] = False
    finish(start, stop, most, episodes, results)
    for i in range(start, stop):
        observations[i, 0], observations[i, 1] = math.cos(moved[0, i]), math.sin(moved[0, i])
        observations[i, 2] = moved[1, i]
