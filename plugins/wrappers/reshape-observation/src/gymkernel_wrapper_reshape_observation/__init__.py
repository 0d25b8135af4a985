"""`ReshapeObservation`: the same numbers in another shape."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gymkernel.protocols import ActType, EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_space_box import Box
from gymkernel_util_wrappers.env_view import batch_axes
from gymkernel_util_wrappers.space_checks import require_box

__all__ = ["ReshapeObservation"]


class ReshapeObservation(ObservationWrapper[NDArray[Any], ActType, NDArray[Any]], RecordConstructorArgs):
    """Reshape observations of a `Box`, in C order.

    Args:
        shape: the shape of observations, with as many elements as before.

    Raises:
        TypeError: the observation space has no arrays with bounds (it is no Box), or a length is no integer.
        ValueError: the number of elements differs, or a length is below 0.

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
        wanted = _shape(shape)
        if math.prod(wanted) != math.prod(inner.shape):
            raise ValueError(
                f"ReshapeObservation expects a shape of {math.prod(inner.shape)} elements, as {inner.shape} has, "
                f"got {wanted} of {math.prod(wanted)}"
            )
        RecordConstructorArgs.__init__(self, shape=wanted)
        self.shape = wanted
        self._batch = batch_axes(env) + wanted
        self.observation_space = Box(inner.low.reshape(wanted), inner.high.reshape(wanted), dtype=inner.dtype)

    def observation(self, observation: NDArray[Any]) -> NDArray[Any]:
        """The observation in its new shape; the environments of a batch stay in front."""
        try:
            return observation.reshape(self._batch)
        except AttributeError:  # nested lists, say
            return np.reshape(observation, self._batch)

    func = property(lambda self: self.observation, doc="The same as `observation`.")

    @classmethod
    def test_instances(cls, env: Any) -> Iterator[ReshapeObservation[Any]]:
        """For `gymkernel check`: as a column."""
        yield cls(env, (math.prod(env.observation_space.shape), 1))


def _shape(shape: int | Sequence[int]) -> tuple[int, ...]:
    message = f"ReshapeObservation expects a shape of integers of at least 0, got {shape!r}"
    try:
        lengths = tuple(map(operator.index, shape if hasattr(shape, "__iter__") else (shape,)))
    except TypeError:
        raise TypeError(message) from None
    if any(length < 0 for length in lengths):
        raise ValueError(message)
    return lengths
