"""The `GrayscaleObservation` wrapper, which converts colour images to greyscale."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gymkernel.protocols import ActType, EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_space_box import Box
from gymkernel_util_wrappers.checks import require_image

__all__ = ["GrayScaleObservation", "GrayscaleObservation"]

RED, GREEN, BLUE = 0.2125, 0.7154, 0.0721
"""The weights of the colour channels, as defined by ITU-R BT.709."""


class GrayscaleObservation(ObservationWrapper[NDArray[np.uint8], ActType, NDArray[np.uint8]], RecordConstructorArgs):
    """A wrapper that converts RGB images to greyscale.

    The brightness of a pixel is 0.2125 red + 0.7154 green + 0.0721 blue, rounded down.

    Args:
        env: the wrapped environment, whose observations must be uint8 images of shape (height, width, 3).
        keep_dim: whether to keep a channel axis of length 1.

    Raises:
        TypeError: if the observation space is not a Box.
        ValueError: if the observations are not uint8 images of shape (height, width, 3).

    >>> from gymkernel import Env
    >>> class Blue(Env):
    ...     observation_space = Box(0, 255, (1, 2, 3), np.uint8)
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.array([[[0, 0, 255], [255, 255, 255]]], np.uint8), {}
    >>> GrayscaleObservation(Blue()).reset()[0]
    array([[ 18, 255]], dtype=uint8)
    """

    batched = True

    def __init__(self, env: EnvLike[Any, ActType], keep_dim: bool = False) -> None:
        ObservationWrapper.__init__(self, env)
        inner = env.observation_space
        require_image(inner, "GrayscaleObservation")
        if inner.shape[2:] != (3,):
            raise ValueError(f"GrayscaleObservation expects observations to be images with three channels, got {inner}")
        self.keep_dim = keep_dim
        self.observation_space = Box(0, 255, (*inner.shape[:2], 1) if keep_dim else inner.shape[:2], np.uint8)

    def observation(self, observation: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Convert an image or a batch of images to greyscale."""
        light = observation[..., 0] * RED
        light += observation[..., 1] * GREEN
        light += observation[..., 2] * BLUE
        grey = light.astype(np.uint8)
        return grey[..., None] if self.keep_dim else grey

    func = property(lambda self: self.observation, doc="An alias of `observation`.")


class GrayScaleObservation(GrayscaleObservation[ActType]):
    """An alias of `GrayscaleObservation` under the name that Gymnasium used in 2022.

    The arguments and exceptions are the same as for `GrayscaleObservation`.

    >>> from gymkernel import Env
    >>> class White(Env):
    ...     observation_space = Box(0, 255, (2, 2, 3), np.uint8)
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.full((2, 2, 3), 255, np.uint8), {}
    >>> GrayScaleObservation(White(), keep_dim=True).reset()[0].shape
    (2, 2, 1)
    """

    def __init__(self, env: EnvLike[Any, ActType], keep_dim: bool = False) -> None:
        super().__init__(env, keep_dim)
