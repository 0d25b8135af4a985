"""The vector versions of MountainCar and MountainCarContinuous, which use NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.vector_env import AutoresetMode
from gymkernel_env_classic_control.actions import choices, numbers
from gymkernel_env_classic_control.powers import squares
from gymkernel_env_classic_control.valley import GRAVITY, Engine, Valley, accelerate
from gymkernel_env_classic_control.vector_base import ClassicVectorEnv, Where
from gymkernel_space_discrete import Discrete

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gymkernel.protocols import Mask

__all__ = ["MountainCarContinuousVectorEnv", "MountainCarVectorEnv"]


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


class MountainCarContinuousVectorEnv(Engine, ClassicVectorEnv):
    """A vector environment that uses NumPy arrays to step `num_envs` copies of `Continuous_MountainCarEnv` at once.

    Environment i behaves like an environment from `make`. If an integer `seed` is passed to `reset`, the seed of
    environment i is `seed + i`. If a sequence of seeds is passed, its seed is item i. Actions should be float32, as in
    the action space. With another dtype, the results are still equal to those of separate environments, but a step is
    no faster than with separate environments.

    The arguments and exceptions are the same as for `ClassicVectorEnv`, and `goal_velocity` is the same as for
    `Continuous_MountainCarEnv`.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("MountainCarContinuous-v0", num_envs=3)
    >>> envs
    MountainCarContinuousVectorEnv(MountainCarContinuous-v0, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> single, info = gym.make("MountainCarContinuous-v0").reset(seed=2)
    >>> bool((observations[1] == single).all())
    True
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.float32([[1], [0], [0.5]]))
    >>> rewards
    array([-0.1  ,  0.   , -0.025])
    """

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = 999,
        render_mode: str | None = None,
        goal_velocity: float = 0,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        Engine.__init__(self, goal_velocity)
        spaces = self.observation_bounds(), self.forces()
        self._prepare(num_envs, max_episode_steps, render_mode, autoreset_mode, spaces)
        self.wide = np.ones(num_envs, np.bool_)
        """A mask of the environments whose state is float64. A state is float64 only until the first step of an
        episode."""

    def _set_state(self, value: Any) -> None:
        super()._set_state(value)
        self.wide[:] = getattr(value, "dtype", None) != np.float32

    def _start(self, generator: np.random.Generator) -> tuple[float, float]:
        return generator.uniform(self.low, self.high), 0.0

    def begin(self, state: NDArray[np.float64], starting: Where) -> None:
        """Sample float64 initial states, and store the initial states in the given array."""
        super().begin(state, starting)
        self.wide[starting] = True

    def _memory(self) -> list[NDArray[Any]]:
        return [self.steps, self.wide]

    def parse_actions(self, actions: ArrayLike) -> NDArray[np.floating[Any]]:
        """Check a batch of actions, and return the forces with the dtype of the actions."""
        return numbers(actions, self.num_envs, "forces")

    def _move(
        self, state: NDArray[np.float64], actions: NDArray[np.floating[Any]]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], Mask]:
        float32 = actions.dtype == np.float32
        singly = np.flatnonzero(self.wide) if float32 else np.arange(self.num_envs)
        if singly.size < self.num_envs:
            moved, terminated = self._move_float32(state.astype(np.float32), actions)
        else:
            moved, terminated = np.empty((2, self.num_envs), np.float32), np.empty(self.num_envs, np.bool_)
        for i in singly.tolist():
            kind = np.float64 if self.wide[i] else np.float32
            moved[0, i], moved[1, i], terminated[i] = self.move(kind(state[0, i]), kind(state[1, i]), actions[i])
        self.wide[:] = False
        rewards = np.where(terminated, 100.0, 0.0)
        rewards -= squares(actions.astype(np.float64)) * 0.1
        return moved.astype(np.float64), rewards, terminated

    def _move_float32(
        self, state: NDArray[np.float32], force: NDArray[np.floating[Any]]
    ) -> tuple[NDArray[np.float32], Mask]:
        """Compute the result of `move` for float32 states and forces, with the same rounding as in `move`."""
        position, velocity = state
        pull = GRAVITY * np.cos((3 * position).astype(np.float64))
        push = force * np.float32(self.power)
        moved = accelerate(velocity, push, pull.astype(np.float32))
        beyond = (force < self.min_action) | (force > self.max_action)
        if beyond.any():
            most = np.where(force[beyond] > 0, self.max_action, self.min_action)
            moved[beyond] = velocity[beyond] + (most * self.power - pull[beyond]).astype(np.float32)
        velocity[:] = moved
        return state, self.drive(position, velocity)
