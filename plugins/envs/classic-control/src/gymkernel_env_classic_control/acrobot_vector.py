"""The vector version of Acrobot, which uses NumPy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.vector_env import AutoresetMode
from gymkernel_env_classic_control.acrobot_links import Links, accelerations, integrate, observe, rk4
from gymkernel_env_classic_control.actions import choices
from gymkernel_env_classic_control.powers import SQUARE
from gymkernel_env_classic_control.vector_base import ClassicVectorEnv, StepArrays, Where
from gymkernel_space_discrete import Discrete

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from gymkernel.protocols import Mask

__all__ = ["AcrobotVectorEnv"]

FEW = 24
"""The maximum number of environments for which Python floats are faster than NumPy arrays."""


class AcrobotVectorEnv(Links, ClassicVectorEnv):
    """A vector environment that uses NumPy arrays to step `num_envs` copies of `AcrobotEnv` at once.

    Environment i behaves like an environment from `make`. If an integer `seed` is passed to `reset`, the seed of
    environment i is `seed + i`. If a sequence of seeds is passed, its seed is item i.

    The arguments and exceptions are the same as for `ClassicVectorEnv`.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("Acrobot-v1", num_envs=3)
    >>> envs
    AcrobotVectorEnv(Acrobot-v1, num_envs=3)
    >>> observations, infos = envs.reset(seed=1)
    >>> single, info = gym.make("Acrobot-v1").reset(seed=2)
    >>> bool((observations[1] == single).all())
    True
    >>> observations, rewards, terminations, truncations, infos = envs.step(np.array([2, 0, 1]))
    >>> rewards
    array([-1., -1., -1.])
    """

    metadata: dict[str, Any] = ClassicVectorEnv.metadata | {"render_fps": 15}

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = 500,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        spaces = self.observation_bounds(), Discrete(3)
        self._prepare(num_envs, max_episode_steps, render_mode, autoreset_mode, spaces)

    def _start(self, generator: np.random.Generator) -> NDArray[np.float32]:
        return generator.uniform(self.low, self.high, 4).astype(np.float32)

    def parse_actions(self, actions: ArrayLike) -> NDArray[np.float64]:
        """Check a batch of actions, and return the torque (N m) in each elbow without noise."""
        return np.array(self.AVAIL_TORQUE, np.float64)[choices(actions, self.num_envs, 3)]

    def disturb(self, torques: NDArray[np.float64], starting: Where) -> None:
        """Add noise to the torques, except in environments that do not perform an action.

        Args:
            torques: the torque in each elbow in N m, as a float64 array of shape (num_envs,). The array is modified.
            starting: the indices of the environments whose episodes begin in this step.
        """
        noise = self.torque_noise_max
        if noise > 0:
            resting = self._resting.copy()
            resting[starting] = True
            for i, generator in enumerate(self._generators or []):
                if not resting[i]:
                    torques[i] += generator.uniform(-noise, noise)

    def _move(
        self, state: NDArray[np.float64], actions: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], Mask]:
        moved = self._integrate(state, actions)
        _wrap(moved[:2])
        speeds = moved[2:]
        most = np.array([[self.MAX_VEL_1], [self.MAX_VEL_2]])
        np.maximum(speeds, -most, out=speeds)
        np.minimum(speeds, most, out=speeds)
        terminated = -np.cos(moved[0]) - np.cos(moved[1] + moved[0]) > 1.0
        return moved, np.where(terminated, 0.0, -1.0), terminated

    def _integrate(self, state: NDArray[np.float64], torque: NDArray[np.float64]) -> NDArray[np.float64]:
        """Integrate the equations of motion over `dt` with one step of the Runge-Kutta method."""
        if self.num_envs <= FEW:
            factors, dt, each = self.factors(), self.dt, zip(torque.tolist(), *state.tolist(), strict=True)
            return np.array([integrate(2, factors, dt, *values) for values in each]).T.copy()
        return rk4(partial(self._rates, self.factors(), torque), state, (0.0, self.dt))

    def _rates(self, factors: Sequence[float], torque: NDArray[np.float64], state: NDArray[np.float64]) -> Any:
        """Return the derivatives of the states with respect to time."""
        rates = np.empty_like(state)
        rates[:2] = state[2:]
        t1, t2, s1, s2 = state
        falls = np.cos(t1 - pi / 2), np.cos(t1 + t2 - pi / 2)
        rates[2], rates[3] = accelerations(SQUARE, factors, torque, s1, s2, np.cos(t2), np.sin(t2), *falls)
        return rates

    def _observe(self, state: NDArray[np.float64]) -> NDArray[np.float32]:
        return observe(state)

    def advance(self, state: NDArray[np.float64], acts: Any, starting: Where) -> StepArrays:
        """Step every environment in the same way as the base class, but compute first observations in float32."""
        self.disturb(acts, starting)
        step = super().advance(state, acts, starting)
        if starting.size:
            step[1][starting] = self.observe_first(step[0][:, starting])
        return step

    def observe_first(self, state: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the observations of initial states."""
        return observe(state.astype(np.float32))


def _wrap(angles: NDArray[np.float64]) -> None:
    """Wrap angles in place to the interval from -π to π, by adding or subtracting one full turn at a time."""
    while (beyond := angles > pi).any():
        angles[beyond] -= 2 * pi
    while (beyond := angles < -pi).any():
        angles[beyond] += 2 * pi
