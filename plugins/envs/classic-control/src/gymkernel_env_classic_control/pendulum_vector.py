"""The vector version of Pendulum, which uses NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.vector_env import AutoresetMode
from gymkernel_env_classic_control.actions import numbers
from gymkernel_env_classic_control.pendulum_rod import EFFORT, Rod, cost, gains, turn_rod
from gymkernel_env_classic_control.powers import SQUARE
from gymkernel_env_classic_control.vector_base import ClassicVectorEnv, Where

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gymkernel.protocols import Mask

__all__ = ["PendulumVectorEnv"]


class PendulumVectorEnv(Rod, ClassicVectorEnv):
    """A vector environment that uses NumPy arrays to step `num_envs` copies of `PendulumEnv` at once.

    Environment i behaves like an environment from `make`. If an integer `seed` is passed to `reset`, the seed of
    environment i is `seed + i`. If a sequence of seeds is passed, its seed is item i.

    The arguments and exceptions are the same as for `ClassicVectorEnv`, and `g` is the same as for `PendulumEnv`.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("Pendulum-v1", num_envs=3)
    >>> envs
    PendulumVectorEnv(Pendulum-v1, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> single, info = gym.make("Pendulum-v1").reset(seed=2)
    >>> bool((observations[1] == single).all())
    True
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.float32([[2], [0], [-1]]))
    >>> rewards.round(3)
    array([-0.091, -2.26 , -6.807])
    """

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = 200,
        render_mode: str | None = None,
        g: float = 10.0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        Rod.__init__(self, g)
        spaces = self.observation_bounds(), self.torques()
        self._prepare(num_envs, max_episode_steps, render_mode, autoreset_mode, spaces)
        self.last_u = np.zeros(num_envs)
        """The torque (N m) in each environment's most recent step, or 0 before the first step of an episode."""

    def _start(self, generator: np.random.Generator) -> NDArray[np.float64]:
        low, high = self.low, self.high
        return np.asarray(generator.uniform(low, high))

    def begin(self, state: NDArray[np.float64], starting: Where) -> None:
        """Sample initial states, store the initial states in the given array, and set the last torques to 0."""
        super().begin(state, starting)
        self.last_u[starting] = 0.0

    def _memory(self) -> list[NDArray[Any]]:
        return [self.steps, self.last_u]

    def parse_actions(self, actions: ArrayLike) -> NDArray[np.floating[Any]]:
        """Check a batch of actions, and return the clipped torques (N m) with the dtype of the actions."""
        torques: NDArray[np.floating[Any]] = np.maximum(
            numbers(actions, self.num_envs, "torques in N m"), -self.max_torque
        )
        np.minimum(torques, self.max_torque, out=torques)
        return torques

    def _move(
        self, state: NDArray[np.float64], actions: NDArray[np.floating[Any]]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], Mask]:
        theta, theta_dot = state
        self.last_u[:] = actions
        pull, push = gains(self)
        rewards = cost(theta, theta_dot, EFFORT * actions**SQUARE, SQUARE)
        np.negative(rewards, out=rewards)
        moved = np.empty_like(state)
        moved[1] = turn_rod(theta_dot, np.sin(theta), pull, push * actions, self.dt)
        np.maximum(moved[1], -self.max_speed, out=moved[1])
        np.minimum(moved[1], self.max_speed, out=moved[1])
        np.multiply(moved[1], self.dt, out=moved[0])
        moved[0] += theta
        return moved, rewards, np.zeros(self.num_envs, np.bool_)

    def _observe(self, state: NDArray[np.float64]) -> NDArray[np.float32]:
        theta, theta_dot = state
        observations = np.empty((theta.size, 3), np.float32)
        observations[:, 0], observations[:, 1], observations[:, 2] = np.cos(theta), np.sin(theta), theta_dot
        return observations

    def _picture_numbers(self, state: NDArray[np.float64]) -> Sequence[tuple[float, ...]]:
        return np.vstack((state, self.last_u)).T.tolist()  # type: ignore[no-any-return]
