"""The class `Canvas`, which draws shapes with NumPy.

Smooth edges are computed from the distance between each pixel and the shape.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Point = tuple[float, float]

__all__ = ["Canvas"]


class Canvas:
    """An image to draw shapes on. Positions are in pixels from the top left corner.

    Args:
        width: the width in pixels.
        height: the height in pixels.
        color: the background colour, as red, green and blue values from 0 to 255.
    """

    def __init__(self, width: int, height: int, color: tuple[int, int, int]) -> None:
        self._pixels = np.empty((height, width, 3))
        self._pixels[:] = color
        self._y, self._x = np.ogrid[0.5:height, 0.5:width]

    def line(self, color: tuple[int, int, int], start: Point, end: Point, width: float) -> None:
        """Draw a line with round ends. If both ends are the same point, the line is a disc."""
        (x, y), (u, v) = start, end
        square = (u - x) ** 2 + (v - y) ** 2
        along = ((self._x - x) * (u - x) + (self._y - y) * (v - y)) / (square or 1)
        along = np.clip(along, 0, 1)
        self._fill(color, np.hypot(self._x - x - along * (u - x), self._y - y - along * (v - y)) - width / 2)

    def rectangle(self, color: tuple[int, int, int], middle: Point, width: float, height: float) -> None:
        """Draw a rectangle that is centred on a point."""
        across, down = np.abs(self._x - middle[0]) - width / 2, np.abs(self._y - middle[1]) - height / 2
        self._fill(color, np.maximum(across, down))

    def _fill(self, color: tuple[int, int, int], distance: NDArray[np.float64]) -> None:
        """Fill the pixels whose distance to the shape is negative, and blend the colours at the edge."""
        cover = np.clip(0.5 - distance, 0, 1)[..., None]
        self._pixels += cover * (np.array(color) - self._pixels)

    def image(self) -> NDArray[np.uint8]:
        """Return the image as a uint8 array of shape (height, width, 3)."""
        return self._pixels.round().astype(np.uint8)
