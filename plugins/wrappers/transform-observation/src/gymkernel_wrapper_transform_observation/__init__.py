"""The `TransformObservation` wrapper, which applies a function to observations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, SupportsFloat

from gymkernel.protocols import ActType, EnvLike, ObsType, WrapperObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper

__all__ = ["TransformObservation"]


class TransformObservation(ObservationWrapper[WrapperObsType, ActType, ObsType], RecordConstructorArgs):
    """A wrapper that applies a function to each observation.

    Args:
        func: a function that takes an observation and returns the observation for the agent.
        observation_space: the space of the transformed observations, or None to keep the original space.
        f: a keyword-only alias of `func`.

    Raises:
        TypeError: if `func` is not callable or if both `func` and `f` are given.

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
        """Step the environment, and transform the observation."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        change = self.func if self._direct else self.observation  # avoids calling `observation`
        return change(observation), reward, terminated, truncated, info

    def observation(self, observation: ObsType) -> WrapperObsType:
        """Apply the function to an observation."""
        func = self.func  # a local variable is faster
        return func(observation)

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[TransformObservation[Any, Any, Any]]:
        """Yield an instance that `gymkernel check` tests. Its function returns the argument unchanged."""
        yield cls(env, identity)


def identity(seen: Any) -> Any:
    """Return the argument unchanged."""
    return seen


def function(func: Any, f: Any, of: str) -> Any:
    """Return the function that was passed as `func` or as `f`."""
    given = f if func is None else func
    if not callable(given) or (func is not None and f is not None):
        got = repr(given) if f is None or func is None else "both func and f, which are two names for the same argument"
        raise TypeError(f"TransformObservation expects func to be a function of {of}, got {got}")
    return given
