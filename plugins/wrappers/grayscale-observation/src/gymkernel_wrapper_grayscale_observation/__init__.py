"""`GrayscaleObservation`: colour images in shades of grey."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gymkernel.protocols import ActType, EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_space_box import Box
from gymkernel_util_wrappers.space_checks import require_image

__all__ = ["GrayScaleObservation", "GrayscaleObservation"]

RED, GREEN, BLUE = 0.2125, 0.7154, 0.0721
"""How bright the channels are, by ITU-R BT.709."""


class GrayscaleObservation(ObservationWrapper[NDArray[np.uint8], ActType, NDArray[np.uint8]], RecordConstructorArgs):
    """Make images of red, green and blue grey: 0.2125 red + 0.7154 green + 0.0721 blue, rounded down.

    Args:
        env: the environment inside; its observations are images, uint8 of shape (height, width, 3).
        keep_dim: whether an image keeps an axis of length 1 for its channel.

    Raises:
        TypeError: the observation space is no Box.
        ValueError: its elements are no such images.

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
        if type(self) is GrayscaleObservation and not hasattr(self, "_saved_kwargs"):  # not recorded: no plain data
            RecordConstructorArgs.__init__(self, keep_dim=keep_dim)
        inner = env.observation_space
        require_image(inner, "GrayscaleObservation")
        if inner.shape[2:] != (3,):
            raise ValueError(f"GrayscaleObservation expects images with three channels, got {inner}")
        self.keep_dim = keep_dim
        self.observation_space = Box(0, 255, (*inner.shape[:2], 1) if keep_dim else inner.shape[:2], np.uint8)

    def observation(self, observation: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """The image in grey, or a batch of them."""
        light = observation[..., 0] * RED
        light += observation[..., 1] * GREEN
        light += observation[..., 2] * BLUE
        grey = light.astype(np.uint8)
        return grey[..., None] if self.keep_dim else grey

    func = property(lambda self: self.observation, doc="The same as `observation`.")


class GrayScaleObservation(GrayscaleObservation[ActType]):
    """Make images of red, green and blue grey: the name that `GrayscaleObservation` had in 2022.

    Arguments and errors are the same.
    """
