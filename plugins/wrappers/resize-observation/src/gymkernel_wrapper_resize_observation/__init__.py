"""The `ResizeObservation` wrapper, which resizes images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from gymkernel.protocols import ActType, EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_space_box import Box
from gymkernel_util_wrappers.checks import require_image, require_integers
from gymkernel_util_wrappers.env_view import batch_axes

__all__ = ["ResizeObservation"]


class ResizeObservation(ObservationWrapper[NDArray[np.uint8], ActType, NDArray[np.uint8]], RecordConstructorArgs):
    """A wrapper that resizes images by area averaging (OpenCV's INTER_AREA).

    Args:
        env: the wrapped environment, whose observations must be uint8 images of shape (height, width) or (height,
            width, channels).
        shape: the new (height, width), or a single integer for a square image.

    Raises:
        TypeError: if the observation space is not a Box or `shape` contains a value that is not an integer.
        ValueError: if the observations are not uint8 images, or if `shape` is not one or two integers of at least 1.

    >>> from gymkernel import Env
    >>> class Stripes(Env):
    ...     observation_space = Box(0, 255, (2, 4), np.uint8)
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.array([[0, 100, 0, 10], [0, 100, 0, 10]], np.uint8), {}
    >>> ResizeObservation(Stripes(), (1, 2)).reset()[0]
    array([[50,  5]], dtype=uint8)
    """

    batched = True

    def __init__(self, env: EnvLike[Any, ActType], shape: int | Sequence[int]) -> None:
        ObservationWrapper.__init__(self, env)
        inner = env.observation_space
        require_image(inner, "ResizeObservation")
        message = f"ResizeObservation expects shape to be a height and a width of at least 1, got {shape!r}"
        height, width = require_integers(shape, 2, 1, message)
        RecordConstructorArgs.__init__(self, shape=(height, width))
        self.shape = height, width
        self.cv2_shape = width, height
        self._image_shape = (height, width, *inner.shape[2:])
        self._is_batch = bool(batch_axes(env))
        self.observation_space = Box(0, 255, self._image_shape, np.uint8)

    def observation(self, observation: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Resize an image or a batch of images."""
        if not self._is_batch:
            return self._resize(observation)
        resized = np.empty((len(observation), *self._image_shape), np.uint8)
        for i, image in enumerate(observation):
            resized[i] = self._resize(image)
        return resized

    func = property(lambda self: self.observation, doc="An alias of `observation`.")

    def _resize(self, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
        resized: Any = cv2.resize(image, self.cv2_shape, interpolation=cv2.INTER_AREA)
        return resized.reshape(self._image_shape)  # type: ignore[no-any-return] # OpenCV removes a channel axis of length 1
