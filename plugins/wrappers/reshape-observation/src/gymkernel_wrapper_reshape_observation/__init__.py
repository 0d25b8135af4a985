"""The `ReshapeObservation` wrapper, which changes the shape of observations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gymkernel.protocols import ActType, EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_space_box import Box
from gymkernel_util_wrappers.checks import require_box, require_integers
from gymkernel_util_wrappers.env_view import batch_axes

__all__ = ["ReshapeObservation"]


class ReshapeObservation(ObservationWrapper[NDArray[Any], ActType, NDArray[Any]], RecordConstructorArgs):
    """A wrapper that changes the shape of `Box` observations and keeps their values in C order.

    Args:
        shape: the new shape. The number of elements must remain the same.

    Raises:
        TypeError: if the observation space is not a Box or a length is not an integer.
        ValueError: if the new shape has a different number of elements or a length is negative.

    >>> from gymkernel import Env
    >>> class Still(Env):
    ...     observation_space = Box(-1.0, 1.0, (6,))
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.arange(6.0) / 6, {}
    >>> env = ReshapeObservation(Still(), (2, 3))
    >>> env.observation_space.shape, env.reset()[0].shape
    ((2, 3), (2, 3))
    """

    batched = True

    def __init__(self, env: EnvLike[Any, ActType], shape: int | Sequence[int]) -> None:
        ObservationWrapper.__init__(self, env)
        inner = env.observation_space
        require_box(inner, "ReshapeObservation")
        message = f"ReshapeObservation expects a shape of integers of at least 0, got {shape!r}"
        new_shape = require_integers(shape, None, 0, message)
        if math.prod(new_shape) != math.prod(inner.shape):
            raise ValueError(
                f"ReshapeObservation expects a shape of {math.prod(inner.shape)} elements, like {inner.shape}, "
                f"got {new_shape} with {math.prod(new_shape)}"
            )
        RecordConstructorArgs.__init__(self, shape=new_shape)
        self.shape = new_shape
        self._batch = batch_axes(env) + new_shape
        self.observation_space = Box(inner.low.reshape(new_shape), inner.high.reshape(new_shape), dtype=inner.dtype)

    def observation(self, observation: NDArray[Any]) -> NDArray[Any]:
        """Reshape an observation or a batch."""
        try:
            return observation.reshape(self._batch)
        except AttributeError:  # the observation is not an array
            return np.reshape(observation, self._batch)

    func = property(lambda self: self.observation, doc="An alias of `observation`.")

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[ReshapeObservation[Any]]:
        """Yield an instance that `gymkernel check` tests. It reshapes an observation to a column."""
        yield cls(env, (math.prod(env.observation_space.shape), 1))
