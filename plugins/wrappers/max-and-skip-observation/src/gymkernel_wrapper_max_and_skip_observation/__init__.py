"""The `MaxAndSkipObservation` wrapper, which repeats actions and combines the last two observations."""

from __future__ import annotations

from typing import Any, ClassVar, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from gymkernel.protocols import ActType, EnvLike, Info
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper
from gymkernel_util_wrappers.checks import require_integer

__all__ = ["MaxAndSkipObservation", "check"]


class MaxAndSkipObservation(Wrapper[NDArray[Any], ActType, NDArray[Any], ActType], RecordConstructorArgs):
    """A wrapper that repeats each action and returns the elementwise maximum of the last two observations.

    The DQN of Mnih et al. (2015) uses this maximum because an Atari console draws some sprites only in every other
    frame. The reward is the sum of the rewards of all repetitions. If the episode ends early, the remaining repetitions
    are skipped.

    Args:
        env: the wrapped environment, whose observations must be arrays or numbers.
        skip: the number of times each action is repeated, at least 2.

    Raises:
        TypeError: if `skip` is not an integer.
        ValueError: if `skip` is less than 2 or observations are not arrays of the same shape.

    >>> from gymkernel import Env, Space
    >>> class Blinks(Env):
    ...     observation_space = Space((2,), int)
    ...     time = 0
    ...
    ...     def step(self, action):
    ...         self.time += 1
    ...         return np.array([self.time, 0] if self.time % 2 else [0, self.time]), 1.0, False, False, {}
    >>> env = MaxAndSkipObservation(Blinks(), skip=4)
    >>> env.step(0)[:2]
    (array([3, 4]), 4.0)
    """

    keeps_old_observations: ClassVar[bool] = False
    """Whether the maximum contains observations of an earlier step if the episode ends early, as in Gymnasium (issue
    1692). `gymkernel run` sets this to True, so that results are equal."""

    def __init__(self, env: EnvLike[Any, ActType], skip: int = 4) -> None:
        Wrapper.__init__(self, env)
        number = check(skip, env.observation_space)
        self._skip = number
        space = env.observation_space
        self._obs_buffer = np.zeros((2, *space.shape), space.dtype)

    def step(self, action: ActType) -> tuple[NDArray[Any], SupportsFloat, bool, bool, Info]:
        """Repeat the action at most `skip` times, until the episode ends, and return the last info."""
        total, step, buffer, is_kept = 0.0, self.env.step, self._obs_buffer, self.keeps_old_observations
        first = self._skip - 2 if is_kept else 0
        for i in range(self._skip):
            observation, reward, terminated, truncated, info = step(action)
            if i >= first:
                buffer[(i - first) & 1] = observation
            total += float(reward)
            if terminated or truncated:
                break
        seen = np.maximum(buffer[0], buffer[1]) if i or is_kept else buffer[0].copy()
        return seen, total, terminated, truncated, info


def check(skip: Any, space: Any) -> int:
    """Check the arguments of the constructor, and return `skip` as a Python integer.

    Args:
        skip: the number of times each action is repeated.
        space: the observation space of the wrapped environment.

    Raises:
        TypeError: if `skip` is not an integer.
        ValueError: if `skip` is less than 2 or observations are not arrays of the same shape.
    """
    number = require_integer(skip, "MaxAndSkipObservation expects skip", 2)
    if space.shape is None:
        raise ValueError(f"MaxAndSkipObservation expects observations to be arrays of the same shape, got {space}")
    return number
