"""`TransformObservation`: observations through a function."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, SupportsFloat

from gymkernel.protocols import ActType, EnvLike, ObsType, WrapperObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper

__all__ = ["TransformObservation"]


class TransformObservation(ObservationWrapper[WrapperObsType, ActType, ObsType], RecordConstructorArgs):
    """Put every observation through a function.

    Args:
        func: what makes of an observation the one that the agent sees.
        observation_space: the space of those; None where it is that of the environment inside.
        f: another name of `func`, by keyword.

    Raises:
        TypeError: `func` cannot be called, or is given under both names.

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
        func: Callable[[ObsType], WrapperObsType] | None = None,
        observation_space: Any = None,
        *,
        f: Callable[[ObsType], WrapperObsType] | None = None,
    ) -> None:
        func = function(func, f, "an observation")
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

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TransformObservation[Any, Any, Any]]:
        """For `gymkernel check`: with a function that changes nothing."""
        yield cls(env, unchanged)


def unchanged(seen: Any) -> Any:
    """What it is given."""
    return seen


def function(func: Any, f: Any, of: str) -> Any:
    """The function, which was given under one of its two names."""
    given = f if func is None else func
    if not callable(given) or (func is not None and f is not None):
        got = repr(given) if f is None or func is None else "both func and f, two names of one argument"
        raise TypeError(f"TransformObservation expects func to be a function of {of}, got {got}")
    return given
