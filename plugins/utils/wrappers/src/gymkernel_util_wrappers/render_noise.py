"""`render_noise`: noise of the shape of a frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Frame = NDArray[np.uint8]

__all__ = ["render_noise", "spoiled"]

GREY = np.array([0.2989, 0.587, 0.114])
"""What red, green and blue add to the brightness."""


def render_noise(shape: tuple[int, ...], random: np.random.Generator, grey: bool = False) -> Frame:
    """Noise of uint8, from 0 to 254.

    Args:
        shape: (height, width, 3).
        random: what it is drawn from.
        grey: whether the three channels are equal.

    >>> noise = render_noise((2, 2, 3), np.random.default_rng(1), grey=True)
    >>> bool((noise[..., 0] == noise[..., 2]).all()), noise.dtype
    (True, dtype('uint8'))
    """
    if not grey:
        return random.integers(0, 255, size=shape, dtype=np.uint8)
    channels = random.integers((0, 0, 0), 255 * GREY, size=shape, dtype=np.uint8)
    noise: Frame = channels.sum(-1, keepdims=True).astype(np.uint8).repeat(3, -1)
    return noise


def spoiled(rendered: Any, spoil: Callable[[Frame], Frame], wrapper: str) -> Any:
    """A rendered frame, or every frame of a list, as a function leaves it.

    Args:
        rendered: what `render` returned: an array (height, width, 3), or a list of them.
        spoil: gets a frame, and returns another.
        wrapper: who asks.

    Raises:
        TypeError: it is no such array.
    """
    if isinstance(rendered, list):
        return [spoiled(frame, spoil, wrapper) for frame in rendered]
    if not isinstance(rendered, np.ndarray) or rendered.ndim != 3 or rendered.shape[-1] != 3:
        seen = f"{np.shape(rendered)}" if isinstance(rendered, np.ndarray) else type(rendered).__name__
        raise TypeError(f"{wrapper} expects frames of shape (height, width, 3), as rgb_array renders them, got {seen}")
    return spoil(rendered)
