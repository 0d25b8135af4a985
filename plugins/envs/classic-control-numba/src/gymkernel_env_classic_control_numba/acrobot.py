"""The Acrobot vector environment, compiled by numba."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gymkernel_env_classic_control import acrobot_links
from gymkernel_env_classic_control.acrobot_vector import AcrobotVectorEnv
from gymkernel_env_classic_control_numba.compiled import Compiled, finish, kernel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


__all__ = ["NumbaAcrobotVectorEnv"]


class NumbaAcrobotVectorEnv(Compiled, AcrobotVectorEnv):
    """A vector environment for `Acrobot-v1` compiled by numba. The results are the same as with NumPy.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("numba/Acrobot-v1", num_envs=3)
    >>> envs
    NumbaAcrobotVectorEnv(numba/Acrobot-v1, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, infos = envs.step([2, 0, 1])
    """

    def advance(self, state: NDArray[np.float64], acts: Any, starting: NDArray[np.intp]) -> Any:
        """Compute the same results as the base class, but with a compiled function."""
        self.disturb(acts, starting)
        limits = self.MAX_VEL_1, self.MAX_VEL_2, self.max_episode_steps
        constants = self.pack_constants(self.dt, 2.0, *limits, *self.factors())
        results = self.run_step(_step, state, acts, starting, constants)
        if starting.size:
            results[1][starting] = self.observe_first(results[0][:, starting])
        return results


integrate = kernel(acrobot_links.integrate, accelerations=kernel(acrobot_links.accelerations))


@kernel
def _wrap_angle(angle: float) -> float:
    while angle > math.pi:
        angle -= 2 * math.pi
    while angle < -math.pi:
        angle += 2 * math.pi
    return angle


@kernel
def _step(start: int, stop: int, state: Any, actions: Any, constants: Any, episodes: Any, results: Any) -> None:
    moved, observations, rewards, terminated, _ = results
    # With a constant exponent, the compiler would multiply instead, and a product is rounded differently.
    dt, two, most1, most2, most = constants[:5]
    factors = constants[5:]
    for i in range(start, stop):
        t1, t2, s1, s2 = integrate(two, factors, dt, actions[i], state[0, i], state[1, i], state[2, i], state[3, i])
        t1, t2 = _wrap_angle(t1), _wrap_angle(t2)
        s1, s2 = min(max(s1, -most1), most1), min(max(s2, -most2), most2)
        moved[0, i], moved[1, i], moved[2, i], moved[3, i] = t1, t2, s1, s2
        cosine = math.cos(t1)
        observations[i, 0], observations[i, 1] = cosine, math.sin(t1)
        observations[i, 2], observations[i, 3] = math.cos(t2), math.sin(t2)
        observations[i, 4], observations[i, 5] = s1, s2
        terminated[i] = -cosine - math.cos(t2 + t1) > 1.0
        rewards[i] = 0.0 if terminated[i] else -1.0
    finish(start, stop, most, episodes, results)
