"""The `DtypeObservation` wrapper, which casts observations to another dtype."""

from __future__ import annotations

from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gymkernel.protocols import ActType, EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_space_box import Box
from gymkernel_space_multi_discrete import MultiDiscrete

__all__ = ["DtypeObservation"]


class DtypeObservation(ObservationWrapper[NDArray[Any], ActType, Any], RecordConstructorArgs):
    """A wrapper that casts `Box`, `Discrete`, `MultiDiscrete` or `MultiBinary` observations to another dtype.

    The new observation space is a `Box` whose bounds are cast to the same dtype. There is one exception: if the space
    is a `MultiDiscrete` and the dtype is an integer dtype, the new space is also a `MultiDiscrete`. Observations from a
    `Discrete` become arrays of shape ().

    Args:
        dtype: a floating-point, integer or bool dtype.

    Raises:
        TypeError: if the observations are neither numbers nor arrays of numbers.
        ValueError: if `dtype` is None or the integer dtype cannot represent the bounds of the Box.

    >>> from gymkernel import Env
    >>> class Still(Env):
    ...     observation_space = Box(-1.0, 1.0, (2,))
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.zeros(2, np.float32), {}
    >>> env = DtypeObservation(Still(), np.float16)
    >>> env.observation_space, env.reset()[0]
    (Box(-1.0, 1.0, (2,), float16), array([0., 0.], dtype=float16))
    """

    batched = True

    def __init__(self, env: EnvLike[Any, ActType], dtype: DTypeLike) -> None:
        ObservationWrapper.__init__(self, env)
        if dtype is None:
            raise ValueError("DtypeObservation expects a dtype such as np.float32, got None")
        self.dtype = np.dtype(dtype)
        space = _cast(env.observation_space, self.dtype)
        RecordConstructorArgs.__init__(self, dtype=str(self.dtype))
        self.observation_space = space
        self._arrays = bool(env.observation_space.shape)  # `astype` would convert a NumPy scalar to another scalar
        self._direct = self._arrays and type(self).observation is DtypeObservation.observation

    def step(self, action: ActType) -> tuple[NDArray[Any], SupportsFloat, bool, bool, dict[str, Any]]:
        """Step the environment, and cast the observation to the new dtype."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if self._direct:  # avoids calling `observation`
            try:
                return observation.astype(self.dtype), reward, terminated, truncated, info
            except AttributeError:  # the observation is not an array
                pass
        return self.observation(observation), reward, terminated, truncated, info

    def observation(self, observation: Any) -> NDArray[Any]:
        """Return a copy of an observation or a batch with the new dtype."""
        if self._arrays:
            try:
                return observation.astype(self.dtype)  # type: ignore[no-any-return]
            except AttributeError:  # the observation is not an array
                pass
        return np.array(observation, self.dtype)

    func = property(lambda self: self.observation, doc="An alias of `observation`.")


def _cast(space: Any, dtype: np.dtype[Any]) -> Any:
    if hasattr(space, "low") and hasattr(space, "high"):
        return _cast_box(space, dtype)
    if hasattr(space, "nvec"):
        if dtype.kind in "iu":
            return MultiDiscrete(space.nvec, dtype=dtype, start=space.start)
        return Box(space.start, space.start + space.nvec - 1, space.nvec.shape, dtype)
    if hasattr(space, "n") and hasattr(space, "start"):
        first = int(space.start)
        return Box(first, first + int(space.n) - 1, (), dtype) if dtype.kind != "b" else Box(0, 1, (), dtype)
    if hasattr(space, "n") and space.shape:
        return Box(0, 1, space.shape, dtype)
    raise TypeError(
        f"DtypeObservation expects a Box, Discrete, MultiDiscrete or MultiBinary as the observation space, got {space}"
    )


def _cast_box(space: Any, dtype: np.dtype[Any]) -> Box[Any]:
    """Return a Box with another dtype. Like the elements, the bounds are rounded to floats or truncated to integers."""
    if dtype.kind == "b":
        return Box(0, 1, space.shape, dtype)
    low, high = np.asarray(space.low), np.asarray(space.high)
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return Box(low.astype(dtype), high.astype(dtype), space.shape, dtype)
    try:
        return Box(np.trunc(low), np.trunc(high), space.shape, dtype)
    except ValueError as exc:
        raise ValueError(f"DtypeObservation cannot cast observations of {space} to {dtype}: {exc}") from exc
