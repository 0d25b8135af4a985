"""MountainCarContinuous, compiled."""

from __future__ import annotations

import math
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_env_classic_control.mountain_car_continuous_vector import MountainCarContinuousVectorEnv
from gymkernel_env_classic_control_numba.compiled import Compiled, finish, kernel
from gymkernel_env_classic_control_numba.mountain_car import LIMITS

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["NumbaMountainCarContinuousVectorEnv"]

GRAVITY = 0.0025
CONSTANTS = attrgetter("min_action", "max_action", "power", *LIMITS)


class NumbaMountainCarContinuousVectorEnv(Compiled, MountainCarContinuousVectorEnv):
    """`MountainCarContinuous-v0` vectorised as ever, with steps that numba compiles; equal to it in every bit.

    Forces that are not float32 take the steps of the NumPy form.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("numba/MountainCarContinuous-v0", num_envs=3)
    >>> envs
    NumbaMountainCarContinuousVectorEnv(numba/MountainCarContinuous-v0, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.float32([[1], [0], [0.5]]))
    """

    def advance(self, state: NDArray[np.float64], acts: Any, begun: NDArray[np.intp]) -> Any:
        """A step, as in the base."""
        if acts.dtype != np.float32:
            return super().advance(state, acts, begun)
        results = self.stepped(_step, state, acts, begun, (self.packed(*CONSTANTS(self)), self.wide))
        self.wide[:] = False
        self.wide[begun] = True
        return results


@kernel
def _step(start: int, stop: int, state: Any, actions: Any, constants: Any, episodes: Any, results: Any) -> None:
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
            velocity = min(max(velocity + change, -fastest), fastest)
            place = min(max(place + velocity, left), right)
            if place == left and velocity < 0:
                velocity = 0.0
            ends = place >= goal and velocity >= speed
        else:
            place32, velocity32 = np.float32(place), np.float32(velocity)
            pull = GRAVITY * math.cos(np.float64(np.float32(3) * place32))
            change32 = np.float32(bound - pull) if beyond else force * np.float32(power) - np.float32(pull)
            velocity32 = min(max(velocity32 + change32, -np.float32(fastest)), np.float32(fastest))
            place32 = min(max(place32 + velocity32, np.float32(left)), np.float32(right))
            if place32 == np.float32(left) and velocity32 < 0:
                velocity32 = np.float32(0.0)
            ends = place32 >= np.float32(goal) and velocity32 >= np.float32(speed)
            place, velocity = np.float64(place32), np.float64(velocity32)
        moved[0, i], moved[1, i] = np.float32(place), np.float32(velocity)
        rewards[i] = (100.0 if ends else 0.0) - np.float64(force) * np.float64(force) * 0.1
        terminated[i] = ends
    finish(start, stop, most, episodes, results)
    for i in range(start, stop):
        observations[i, 0], observations[i, 1] = moved[0, i], moved[1, i]
