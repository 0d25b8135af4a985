"""The `GrayscaleObservation` wrapper for vector environments."""

from __future__ import annotations

from typing import Any

from gymkernel.protocols import ActType, ArrayType, VectorEnvLike
from gymkernel_util_wrappers.vectorized import VectorizedObservationWrapper, parameters_of
from gymkernel_wrapper_grayscale_observation import GrayscaleObservation as Single

__all__ = ["GrayScaleObservation", "GrayscaleObservation"]


class GrayscaleObservation(VectorizedObservationWrapper[Any, ActType, Any, ArrayType]):
    """A vector wrapper that converts RGB images to greyscale.

    The arguments and exceptions are the same as for `gymkernel.wrappers.GrayscaleObservation`.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("CartPole-v1", 2, "sync", render_mode="rgb_array")  # doctest: +SKIP
    >>> envs = GrayscaleObservation(gym.wrappers.vector.AddRenderObservation(envs))  # doctest: +SKIP
    >>> envs.reset(seed=7)[0].shape  # doctest: +SKIP
    (2, 400, 600)
    """

    single = Single

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[Any, ActType, ArrayType]) -> None: ...


class GrayScaleObservation(GrayscaleObservation[ActType, ArrayType]):
    """An alias of `GrayscaleObservation` under the name that Gymnasium used in 2022.

    The arguments and exceptions are the same as for `GrayscaleObservation`.

    >>> import gymkernel as gym
    >>> envs = gym.make_vec("CartPole-v1", 2, "sync", render_mode="rgb_array")  # doctest: +SKIP
    >>> envs = GrayScaleObservation(gym.wrappers.vector.AddRenderObservation(envs))  # doctest: +SKIP
    >>> envs.reset(seed=7)[0].shape  # doctest: +SKIP
    (2, 400, 600)
    """

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[Any, ActType, ArrayType]) -> None: ...
