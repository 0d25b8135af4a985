"""MountainCar, compiled."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from gymkernel_env_classic_control import valley
from gymkernel_env_classic_control.mountain_car_vector import MountainCarVectorEnv
from gymkernel_env_classic_control_numba.compiled import Compiled, finish, kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


__all__ = ["LIMITS", "NumbaMountainCarVectorEnv", "driven", "faster"]

LIMITS = "max_speed", "min_position", "max_position", "goal_position", "goal_velocity", "max_episode_steps"
CONSTANTS = attrgetter("force", "gravity", *LIMITS)


class NumbaMountainCarVectorEnv(Compiled, MountainCarVectorEnv):
    """`MountainCar-v0` vectorised, with steps that numba compiles; the results are equal in every bit.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("numba/MountainCar-v0", num_envs=3)
    >>> envs
    NumbaMountainCarVectorEnv(numba/MountainCar-v0, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step([2, 0, 1])
    """

    def parsed(self, actions: ArrayLike) -> NDArray[Any]:
        """Return the actions after checking them."""
        return self.chosen(actions, 3)

    def advance(self, state: NDArray[np.float64], acts: Any, begun: NDArray[np.intp]) -> Any:
        """Step as the base does."""
        return self.stepped(_step, state, acts, begun, self.packed(*CONSTANTS(self)))


faster, driven = kernel(valley.faster), kernel(valley.driven)


@kernel
def _step(start: int, stop: int, state: Any, actions: Any, constants: Any, episodes: Any, results: Any) -> None:
    moved, observations, rewards, terminated, _ = results
    force, gravity, fastest, left, right, goal, speed, most = constants
    position, velocity = moved[0], moved[1]
    for i in range(start, stop):
        velocity[i] = math.cos(3 * state[0, i])
    for i in range(start, stop):
        sped = faster(state[1, i], (actions[i] - 1) * force, gravity * velocity[i])
        position[i], velocity[i] = driven(state[0, i], sped, fastest, left, right)
        terminated[i] = (position[i] >= goal) & (velocity[i] >= speed)
        rewards[i] = -1.0
    finish(start, stop, most, episodes, results)
    for i in range(start, stop):
        observations[i, 0], observations[i, 1] = position[i], velocity[i]
