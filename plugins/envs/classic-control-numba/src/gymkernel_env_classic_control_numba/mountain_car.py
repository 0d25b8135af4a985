"""The MountainCar vector environment, compiled by numba."""

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


__all__ = ["LIMITS", "NumbaMountainCarVectorEnv", "accelerate", "move_car"]

LIMITS = "max_speed", "min_position", "max_position", "goal_position", "goal_velocity", "max_episode_steps"
CONSTANTS = attrgetter("force", "gravity", *LIMITS)


class NumbaMountainCarVectorEnv(Compiled, MountainCarVectorEnv):
    """A vector environment for `MountainCar-v0` compiled by numba. The results are the same as with NumPy.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("numba/MountainCar-v0", num_envs=3)
    >>> envs
    NumbaMountainCarVectorEnv(numba/MountainCar-v0, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step([2, 0, 1])
    """

    def parse_actions(self, actions: ArrayLike) -> NDArray[Any]:
        """Check a batch of actions, and return the actions as an array."""
        return self.check_choices(actions, 3)

    def advance(self, state: NDArray[np.float64], acts: Any, starting: NDArray[np.intp]) -> Any:
        """Compute the same results as the base class, but with a compiled function."""
        return self.run_step(_step, state, acts, starting, self.pack_constants(*CONSTANTS(self)))


accelerate, move_car = kernel(valley.accelerate), kernel(valley.move_car)


@kernel
def _step(start: int, stop: int, state: Any, actions: Any, constants: Any, episodes: Any, results: Any) -> None:
    moved, observations, rewards, terminated, _ = results
    force, gravity, fastest, left, right, goal, speed, most = constants
    position, velocity = moved[0], moved[1]
    for i in range(start, stop):
        velocity[i] = math.cos(3 * state[0, i])
    for i in range(start, stop):
        new_velocity = accelerate(state[1, i], (actions[i] - 1) * force, gravity * velocity[i])
        position[i], velocity[i] = move_car(state[0, i], new_velocity, fastest, left, right)
        terminated[i] = (position[i] >= goal) & (velocity[i] >= speed)
        rewards[i] = -1.0
    finish(start, stop, most, episodes, results)
    for i in range(start, stop):
        observations[i, 0], observations[i, 1] = position[i], velocity[i]
