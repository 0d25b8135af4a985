"""MountainCar, compiled."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from gymkernel_env_classic_control.mountain_car_vector import MountainCarVectorEnv
from gymkernel_env_classic_control_numba.compiled import Compiled, finish, kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray


__all__ = ["NumbaMountainCarVectorEnv"]

LIMITS = "max_speed", "min_position", "max_position", "goal_position", "goal_velocity", "max_episode_steps"
CONSTANTS = attrgetter("force", "gravity", *LIMITS)


class NumbaMountainCarVectorEnv(Compiled, MountainCarVectorEnv):
    """`MountainCar-v0` vectorised as ever, with steps that numba compiles; equal to it in every bit.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("numba/MountainCar-v0", num_envs=3)
    >>> envs
    NumbaMountainCarVectorEnv(numba/MountainCar-v0, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step([2, 0, 1])
    """

    def parsed(self, actions: ArrayLike) -> NDArray[Any]:
        """The actions, checked."""
        return self.chosen(actions, 3)

    def advance(self, state: NDArray[np.float64], acts: Any, begun: NDArray[np.intp]) -> Any:
        """A step, as in the base."""
        return self.stepped(_step, state, acts, begun, self.packed(*CONSTANTS(self)))


@kernel
def _step(start: int, stop: int, state: Any, actions: Any, constants: Any, episodes: Any, results: Any) -> None:
    moved, observations, rewards, terminated, _ = results
    force, gravity, fastest, left, right, goal, speed, most = constants
    position, velocity = moved[0], moved[1]
    for i in range(start, stop):
        velocity[i] = math.cos(3 * state[0, i])
    for i in range(start, stop):
        faster = state[1, i] + ((actions[i] - 1) * force + velocity[i] * -gravity)
        faster = min(max(faster, -fastest), fastest)
        place = min(max(state[0, i] + faster, left), right)
        velocity[i] = 0.0 if place == left and faster < 0 else faster
        position[i] = place
        terminated[i] = (place >= goal) & (velocity[i] >= speed)
        rewards[i] = -1.0
    finish(start, stop, most, episodes, results)
    for i in range(start, stop):
        observations[i, 0], observations[i, 1] = position[i], velocity[i]
