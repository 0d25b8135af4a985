"""The `FlattenObservation` wrapper, which flattens observations into vectors."""

from __future__ import annotations

from functools import partial
from typing import Any, SupportsFloat

from gymkernel import ops
from gymkernel.protocols import ActType, EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_util_wrappers.batch_flattener import batch_flattener
from gymkernel_util_wrappers.env_view import batch_axes

__all__ = ["FlattenObservation"]


class FlattenObservation(ObservationWrapper[Any, ActType, Any], RecordConstructorArgs):
    """A wrapper that flattens observations into vectors with `spaces.utils.flatten`.

    Raises:
        NotImplementedError: if `flatten` does not support the observation space.

    >>> from gymkernel import Env
    >>> import numpy as np
    >>> from gymkernel.spaces import Box
    >>> class Still(Env):
    ...     observation_space = Box(0.0, 1.0, (2, 2))
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.ones((2, 2), np.float32), {}
    >>> env = FlattenObservation(Still())
    >>> env.observation_space, env.reset()[0]
    (Box(0.0, 1.0, (4,), float32), array([1., 1., 1., 1.], dtype=float32))
    """

    batched = True

    def __init__(self, env: EnvLike[Any, ActType]) -> None:
        ObservationWrapper.__init__(self, env)
        inner = env.observation_space
        self.observation_space = ops.flatten_space(inner)
        several = batch_axes(env)
        flatten_one = partial(ops.flatten.dispatch(type(inner)), inner)
        self._flatten: Any = batch_flattener(inner, *several) if several else flatten_one
        direct = type(self).observation is FlattenObservation.observation and not several
        self._dtype = inner.dtype if direct and type(inner).__name__ == "Box" else None

    def step(self, action: ActType) -> tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]:
        """Step the environment, and flatten the observation."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if self._dtype is not None:  # for a Box, avoids calling `observation`
            try:
                if observation.dtype is self._dtype:
                    return observation.flatten(), reward, terminated, truncated, info
            except AttributeError:  # the observation is not an array
                pass
        return self.observation(observation), reward, terminated, truncated, info

    def observation(self, observation: Any) -> Any:
        """Flatten an observation to a vector, or a batch to an array with one row per environment."""
        return self._flatten(observation)

    func = property(lambda self: self.observation, doc="An alias of `observation`.")
