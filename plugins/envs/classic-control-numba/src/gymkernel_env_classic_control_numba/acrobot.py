"""Acrobot, compiled."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gymkernel_env_classic_control.acrobot_vector import AcrobotVectorEnv
from gymkernel_env_classic_control_numba.compiled import Compiled, finish, kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


__all__ = ["NumbaAcrobotVectorEnv"]


class NumbaAcrobotVectorEnv(Compiled, AcrobotVectorEnv):
    """`Acrobot-v1` vectorised as ever, with steps that numba compiles; equal to it in every bit.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("numba/Acrobot-v1", num_envs=3)
    >>> envs
    NumbaAcrobotVectorEnv(numba/Acrobot-v1, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step([2, 0, 1])
    """

    def advance(self, state: NDArray[np.float64], acts: Any, begun: NDArray[np.intp]) -> Any:
        """A step, as in the base."""
        self.disturb(acts, begun)
        nips = self.book_or_nips == "nips"
        limits = self.MAX_VEL_1, self.MAX_VEL_2, self.max_episode_steps
        constants = self.packed(self.dt, nips, 2.0, *limits, *self.factors())
        results = self.stepped(_step, state, acts, begun, constants)
        if begun.size:
            results[1][begun] = self.first_seen(results[0][:, begun])
        return results


@kernel
def _rates(t1: float, t2: float, s1: float, s2: float, torque: float, constants: Any) -> tuple[float, float]:
    """How fast the speeds change; the operations and their order are those of `AcrobotEnv`.

    Exponents are such that the compiler does not know: of a known one it makes a product, and pow rounds otherwise.
    """
    own, m2, lengths, reach, lower, inertia, turning, inner, weight1, weight2 = constants[6:]
    square = constants[2]
    cosine, sine = math.cos(t2), math.sin(t2)
    d1 = own + m2 * (lengths + 2 * reach * cosine) + inertia + inertia
    d2 = m2 * (lower + reach * cosine) + inertia
    phi2 = weight2 * math.cos(t1 + t2 - math.pi / 2)
    swing = -turning * s2**square * sine - 2 * turning * s2 * s1 * sine
    phi1 = swing + weight1 * math.cos(t1 - math.pi / 2) + phi2
    push = torque + d2 / d1 * phi1
    if constants[1] == 0:
        push -= turning * s1**square * sine
    acc2 = (push - phi2) / (inner - d2**square / d1)
    return -(d2 * acc2 + phi1) / d1, acc2


@kernel
def _wrapped(angle: float) -> float:
    while angle > math.pi:
        angle -= 2 * math.pi
    while angle < -math.pi:
        angle += 2 * math.pi
    return angle


@kernel
def _step(start: int, stop: int, state: Any, actions: Any, constants: Any, episodes: Any, results: Any) -> None:
    moved, observations, rewards, terminated, _ = results
    dt, most1, most2, most = constants[0], constants[3], constants[4], constants[5]
    half, sixth = dt / 2.0, dt / 6.0
    for i in range(start, stop):
        t1, t2, s1, s2, torque = state[0, i], state[1, i], state[2, i], state[3, i], actions[i]
        a3, a4 = _rates(t1, t2, s1, s2, torque, constants)
        b1, b2 = s1 + half * a3, s2 + half * a4
        b3, b4 = _rates(t1 + half * s1, t2 + half * s2, b1, b2, torque, constants)
        c1, c2 = s1 + half * b3, s2 + half * b4
        c3, c4 = _rates(t1 + half * b1, t2 + half * b2, c1, c2, torque, constants)
        d1, d2 = s1 + dt * c3, s2 + dt * c4
        d3, d4 = _rates(t1 + dt * c1, t2 + dt * c2, d1, d2, torque, constants)
        t1, t2 = t1 + sixth * (s1 + 2 * b1 + 2 * c1 + d1), t2 + sixth * (s2 + 2 * b2 + 2 * c2 + d2)
        s1, s2 = s1 + sixth * (a3 + 2 * b3 + 2 * c3 + d3), s2 + sixth * (a4 + 2 * b4 + 2 * c4 + d4)
        t1, t2 = _wrapped(t1), _wrapped(t2)
        s1, s2 = min(max(s1, -most1), most1), min(max(s2, -most2), most2)
        moved[0, i], moved[1, i], moved[2, i], moved[3, i] = t1, t2, s1, s2
        cosine = math.cos(t1)
        observations[i, 0], observations[i, 1] = cosine, math.sin(t1)
        observations[i, 2], observations[i, 3] = math.cos(t2), math.sin(t2)
        observations[i, 4], observations[i, 5] = s1, s2
        terminated[i] = -cosine - math.cos(t2 + t1) > 1.0
        rewards[i] = 0.0 if terminated[i] else -1.0
    finish(start, stop, most, episodes, results)
