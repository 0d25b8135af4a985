"""The `DelayObservation` wrapper, which delays observations by several steps."""

from __future__ import annotations

from collections import deque
from typing import Any, SupportsFloat

from gymkernel.ops import create_zero_array
from gymkernel.protocols import ActType, EnvLike, ObsType, Where
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_util_wrappers.checks import require_integer

__all__ = ["DelayObservation"]


class DelayObservation(ObservationWrapper[ObsType, ActType, ObsType], RecordConstructorArgs):
    """A wrapper that returns the observation from `delay` steps ago. Until there is such an observation, it returns 0.

    Args:
        delay: the number of steps by which observations are delayed, which may be 0.

    Raises:
        TypeError: if `delay` is not an integer.
        ValueError: if `delay` is negative.

    >>> import numpy as np
    >>> from gymkernel import Env
    >>> from gymkernel.space import Field, Space
    >>> class Numbers(Space):
    ...     def layout(self):
    ...         return (Field.of(int, (1,)),)
    >>> class Count(Env):
    ...     observation_space = Numbers()
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         self.time = 5
    ...         return np.array([self.time]), {}
    ...
    ...     def step(self, action):
    ...         self.time += 1
    ...         return np.array([self.time]), 0.0, False, False, {}
    >>> env = DelayObservation(Count(), delay=2)
    >>> env.reset()[0].item(), [env.step(0)[0].item() for _ in range(3)]
    (0, [0, 5, 6])
    """

    def __init__(self, env: EnvLike[ObsType, ActType], delay: int) -> None:
        ObservationWrapper.__init__(self, env)
        self.delay = require_integer(delay, "DelayObservation expects delay", 0)
        self.observation_queue: deque[Any] = deque()
        self._direct = type(self).observation is DelayObservation.observation

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, dict[str, Any]]:
        """Step the environment, and return the observation from `delay` steps ago."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        queue = self.observation_queue
        if self._direct and len(queue) == self.delay:  # avoids calling `observation`
            queue.append(observation)
            return queue.popleft(), reward, terminated, truncated, info
        return self.observation(observation), reward, terminated, truncated, info

    def on_reset(self, where: Where = ...) -> None:
        """Discard the observations of the previous episode."""
        self.observation_queue.clear()

    def observation(self, observation: ObsType) -> ObsType:
        """Store the current observation, and return the observation from `delay` steps ago."""
        queue = self.observation_queue
        queue.append(observation)
        if len(queue) > self.delay:
            return queue.popleft()  # type: ignore[no-any-return]
        return create_zero_array(self.observation_space)  # type: ignore[no-any-return]
