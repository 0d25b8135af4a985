"""Functions for wrappers that add noise to rendered frames."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Frame = NDArray[np.uint8]

__all__ = ["change_frames", "render_noise"]

GREY = np.array([0.2989, 0.587, 0.114])
"""The weights of the red, green and blue channels in the brightness of a pixel."""


def render_noise(shape: tuple[int, ...], random: np.random.Generator, grey: bool = False) -> Frame:
    """Return a frame of random noise, with uint8 values from 0 to 254.

    Args:
        shape: the shape of the frame, (height, width, 3).
        random: the random number generator.
        grey: whether to return greyscale noise, in which the three channels are equal.

    >>> noise = render_noise((2, 2, 3), np.random.default_rng(1), grey=True)
    >>> bool((noise[..., 0] == noise[..., 2]).all()), noise.dtype
    (True, dtype('uint8'))
    """
    if not grey:
        return random.integers(0, 255, size=shape, dtype=np.uint8)
    channels = random.integers((0, 0, 0), 255 * GREY, size=shape, dtype=np.uint8)
    noise: Frame = channels.sum(-1, keepdims=True).astype(np.uint8).repeat(3, -1)
    return noise


def change_frames(rendered: Any, change: Callable[[Frame], Frame], wrapper: str) -> Any:
    """Apply a function to a rendered frame, or to every frame in a list.

    Args:
        rendered: the result of `render`, which is an array of shape (height, width, 3) or a list of such arrays.
        change: a function that takes a frame and returns the changed frame.
        wrapper: the name of the calling wrapper, for the error message.

    Raises:
        TypeError: if `rendered` is neither an array of that shape nor a list of such arrays.
    """
    if isinstance(rendered, list):
        return [change_frames(frame, change, wrapper) for frame in rendered]
    if not isinstance(rendered, np.ndarray) or rendered.ndim != 3 or rendered.shape[-1] != 3:
        received = f"{np.shape(rendered)}" if isinstance(rendered, np.ndarray) else type(rendered).__name__
        raise TypeError(f"{wrapper} expects frames of shape (height, width, 3), as in rgb_array mode, got {received}")
    return change(rendered)
