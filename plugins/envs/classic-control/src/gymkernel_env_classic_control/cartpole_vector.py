"""The vector version of CartPole, which uses NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.utils import seeding
from gymkernel.vector_env import AutoresetMode
from gymkernel_env_classic_control.actions import choices
from gymkernel_env_classic_control.cartpole_mechanics import Mechanics, accelerations
from gymkernel_env_classic_control.vector_base import ClassicVectorEnv, Where
from gymkernel_space_discrete import Discrete

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gymkernel.protocols import Mask, Seed

__all__ = ["CartPoleVectorEnv"]


class CartPoleVectorEnv(Mechanics, ClassicVectorEnv):
    """A vector environment that uses NumPy arrays to step `num_envs` copies of `CartPoleEnv` at once.

    If a single seed is passed to `reset`, one random number generator samples the initial states of all environments
    together. If a sequence of seeds is passed, each environment has its own generator and goes through the same
    episodes as a `CartPoleEnv` with the same seed. If an item of the sequence is None, the environment keeps its
    generator.

    Rewards are float32. In NEXT_STEP mode, the reward of a step that begins an episode is 0.

    The arguments and exceptions are the same as for `ClassicVectorEnv`, and `sutton_barto_reward` is the same as for
    `CartPoleEnv`.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("CartPole-v1", num_envs=3)
    >>> envs
    CartPoleVectorEnv(CartPole-v1, num_envs=3)
    >>> observations, infos = envs.reset(seed=[1, 2, 3])
    >>> single, info = gym.make("CartPole-v1").reset(seed=2)
    >>> bool((observations[1] == single).all())
    True
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.array([1, 0, 1]))
    >>> rewards
    array([1., 1., 1.], dtype=float32)
    """

    metadata: dict[str, Any] = ClassicVectorEnv.metadata | {"render_fps": 50}

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = 500,
        render_mode: str | None = None,
        sutton_barto_reward: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        Mechanics.__init__(self)
        spaces = self.observation_bounds(), Discrete(2)
        self._prepare(num_envs, max_episode_steps, render_mode, autoreset_mode, spaces)
        self._sutton_barto_reward = sutton_barto_reward
        self._rewards = np.full(num_envs, 0.0 if sutton_barto_reward else 1.0, np.float32)

    def _forget_bounds(self) -> None:
        """Do nothing, because automatic resets use the bounds of the most recent call of `reset`."""

    def _reseed(self, seed: Seed, mask: Mask | None) -> None:
        """Create one generator from a single seed, or one generator per environment from a sequence of seeds."""
        if seed is None:
            return
        if not hasattr(seed, "__len__"):
            self._np_random, self._np_random_seed = seeding.np_random(seed)
            self._generators = None
            return
        if self._generators is None:
            self._generators, self._seeds = (
                [self.np_random.spawn(1)[0] for _ in range(self.num_envs)],
                [-1] * self.num_envs,
            )
        super()._reseed(seed, mask)

    def _start(self, generator: np.random.Generator) -> NDArray[np.float64]:
        return generator.uniform(self.low, self.high, 4)

    def draw_states(self, starting: Where) -> NDArray[np.float64]:
        """Sample an initial state for each environment in `starting`, and return the states as columns of an array."""
        if self._generators is not None:
            return super().draw_states(starting)
        generator = self._np_random or self.np_random
        return np.asarray(generator.uniform(self.low, self.high, (4, starting.size)))

    def parse_actions(self, actions: ArrayLike) -> NDArray[np.float64]:
        """Check a batch of actions, and return the force on each cart in N."""
        return np.array((-self.force_mag, self.force_mag))[choices(actions, self.num_envs, 2)]

    def _move(
        self, state: NDArray[np.float64], actions: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float32], Mask]:
        state = self._push(state, actions)
        terminated = (np.abs(state[0]) > self.x_threshold) | (np.abs(state[2]) > self.theta_threshold_radians)
        rewards = self._rewards.copy()
        if self._sutton_barto_reward:
            rewards -= terminated
        return state, rewards, terminated

    def _push(self, state: NDArray[np.float64], force: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the state after a step of 0.02 s."""
        _, x_dot, theta, theta_dot = state
        x_acc, theta_acc = accelerations(self, force, np.sin(theta), np.cos(theta), theta_dot)
        moved = np.array((x_dot, x_acc, theta_dot, theta_acc))
        moved *= self.tau
        if self.kinematics_integrator == "euler":
            moved += state
            return moved
        moved[1::2] += state[1::2]
        np.multiply(self.tau, moved[1::2], out=moved[::2])
        moved[::2] += state[::2]
        return moved
