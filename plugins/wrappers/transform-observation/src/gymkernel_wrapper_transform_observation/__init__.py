"""`TransformObservation`: observations through a function."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsFloat

from gymkernel import ObservationWrapper
from gymkernel.protocols import ActType, ObsType, WrapperObsType
from gymkernel.utils import RecordConstructorArgs

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymkernel.protocols import EnvLike

__all__ = ["TransformObservation"]


class TransformObservation(ObservationWrapper[WrapperObsType, ActType, ObsType], RecordConstructorArgs):
    """Put every observation through a function.

    Args:
        env: the environment inside.
        func: what makes of an observation the one that the agent sees.
        observation_space: the space of those; None where it is that of the environment inside.

    Raises:
        TypeError: `func` cannot be called.

    >>> from gymkernel import Env
    >>> class Still(Env):
    ...     def reset(self, *, seed=None, options=None):
    ...         return 3, {}
    >>> TransformObservation(Still(), lambda observation: 2 * observation).reset()[0]
    6
    """

    def __init__(
        self,
        env: EnvLike[ObsType, ActType],
        func: Callable[[ObsType], WrapperObsType],
        observation_space: Any = None,
    ) -> None:
        if not callable(func):
            message = f"TransformObservation expects func to be a function of an observation, got {func!r}"
            raise TypeError(message)
        RecordConstructorArgs.__init__(self, _disable_deepcopy=True, func=func, observation_space=observation_space)
        ObservationWrapper.__init__(self, env)
        if observation_space is not None:
            self.observation_space = observation_space
        self.func = func
        self._direct = type(self).observation is TransformObservation.observation

    def step(self, action: ActType) -> tuple[WrapperObsType, SupportsFloat, bool, bool, dict[str, Any]]:
        """Act once; the observation goes through the function."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        change = self.func if self._direct else self.observation  # a call less
        return change(observation), reward, terminated, truncated, info

    def observation(self, observation: ObsType) -> WrapperObsType:
        """What the function makes of the observation."""
        func = self.func  # faster by a name of its own
        return func(observation)
