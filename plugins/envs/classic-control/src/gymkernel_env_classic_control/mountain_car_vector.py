"""The vector version of MountainCar, which uses NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gymkernel.vector_env import AutoresetMode
from gymkernel_env_classic_control.actions import choices
from gymkernel_env_classic_control.valley import Valley, accelerate
from gymkernel_env_classic_control.vector_base import ClassicVectorEnv
from gymkernel_space_discrete import Discrete

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gymkernel.protocols import Mask

__all__ = ["MountainCarVectorEnv"]


class MountainCarVectorEnv(Valley, ClassicVectorEnv):
    """A vector environment that uses NumPy arrays to step `num_envs` copies of `MountainCarEnv` at once.

    Environment i behaves like an environment from `make`. If an integer `seed` is passed to `reset`, the seed of
    environment i is `seed + i`. If a sequence of seeds is passed, its seed is item i.

    The arguments and exceptions are the same as for `ClassicVectorEnv`, and `goal_velocity` is the same as for
    `MountainCarEnv`.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("MountainCar-v0", num_envs=3)
    >>> envs
    MountainCarVectorEnv(MountainCar-v0, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> single, info = gym.make("MountainCar-v0").reset(seed=2)
    >>> bool((observations[1] == single).all())
    True
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.array([2, 0, 1]))
    >>> rewards
    array([-1., -1., -1.])
    """

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = 200,
        render_mode: str | None = None,
        goal_velocity: float = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        Valley.__init__(self, goal_position=0.5, goal_velocity=goal_velocity)
        spaces = self.observation_bounds(), Discrete(3)
        self._prepare(num_envs, max_episode_steps, render_mode, autoreset_mode, spaces)

    def _start(self, generator: np.random.Generator) -> tuple[float, float]:
        return generator.uniform(self.low, self.high), 0.0

    def parse_actions(self, actions: ArrayLike) -> NDArray[np.float64]:
        """Check a batch of actions, and return the acceleration that each car's engine causes."""
        return np.array((-self.force, 0.0, self.force))[choices(actions, self.num_envs, 3)]

    def _move(
        self, state: NDArray[np.float64], actions: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], Mask]:
        position, velocity = state
        moved = np.array((position, accelerate(velocity, actions, self.gravity * np.cos(3 * position))))
        position, velocity = moved
        return moved, np.full(self.num_envs, -1.0), self.drive(position, velocity)
