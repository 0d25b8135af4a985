"""The vector environments for MountainCar and MountainCarContinuous, compiled by numba."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_env_classic_control import valley
from gymkernel_env_classic_control.mountain_car_vector import MountainCarContinuousVectorEnv, MountainCarVectorEnv
from gymkernel_env_classic_control.valley import GRAVITY
from gymkernel_env_classic_control_numba.compiled import Compiled, finish, kernel

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


__all__ = ["NumbaMountainCarContinuousVectorEnv", "NumbaMountainCarVectorEnv"]

LIMITS = "max_speed", "min_position", "max_position", "goal_position", "goal_velocity", "max_episode_steps"
CONSTANTS = attrgetter("force", "gravity", *LIMITS)
CONTINUOUS = attrgetter("min_action", "max_action", "power", *LIMITS)


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


class NumbaMountainCarContinuousVectorEnv(Compiled, MountainCarContinuousVectorEnv):
    """A vector environment for `MountainCarContinuous-v0` compiled by numba.

    The results are identical to those of the NumPy version. If the forces are not float32, the NumPy version computes
    the step.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("numba/MountainCarContinuous-v0", num_envs=3)
    >>> envs
    NumbaMountainCarContinuousVectorEnv(numba/MountainCarContinuous-v0, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.float32([[1], [0], [0.5]]))
    """

    def advance(self, state: NDArray[np.float64], acts: Any, starting: NDArray[np.intp]) -> Any:
        """Compute the same results as the base class, but with a compiled function."""
        if acts.dtype != np.float32:
            return super().advance(state, acts, starting)
        results = self.run_step(_push, state, acts, starting, (self.pack_constants(*CONTINUOUS(self)), self.wide))
        self.wide[:] = False
        self.wide[starting] = True
        return results


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


@kernel
def _push(start: int, stop: int, state: Any, actions: Any, constants: Any, episodes: Any, results: Any) -> None:
    moved, observations, rewards, terminated, _ = results
    weakest, strongest, power, fastest, left, right, goal, speed, most = constants[0]
    wide = constants[1]
    for i in range(start, stop):
        force, place, velocity = actions[i], state[0, i], state[1, i]
        beyond = force < weakest or force > strongest
        bound = power * (strongest if force > 0 else weakest)
        if wide[i]:
            pull = GRAVITY * math.cos(3 * place)
            change = bound - pull if beyond else np.float64(force * np.float32(power) - np.float32(pull))
            place, velocity = move_car(place, velocity + change, fastest, left, right)
            ends = place >= goal and velocity >= speed
        else:
            place32, velocity32 = np.float32(place), np.float32(velocity)
            pull = GRAVITY * math.cos(np.float64(np.float32(3) * place32))
            if beyond:
                velocity32 += np.float32(bound - pull)
            else:
                velocity32 = accelerate(velocity32, force * np.float32(power), np.float32(pull))
            edges = np.float32(fastest), np.float32(left), np.float32(right)
            place32, velocity32 = move_car(place32, velocity32, edges[0], edges[1], edges[2])
            ends = place32 >= np.float32(goal) and velocity32 >= np.float32(speed)
            place, velocity = np.float64(place32), np.float64(velocity32)
        moved[0, i], moved[1, i] = np.float32(place), np.float32(velocity)
        rewards[i] = (100.0 if ends else 0.0) - np.float64(force) * np.float64(force) * 0.1
        terminated[i] = ends
    finish(start, stop, most, episodes, results)
    for i in range(start, stop):
        observations[i, 0], observations[i, 1] = moved[0, i], moved[1, i]
