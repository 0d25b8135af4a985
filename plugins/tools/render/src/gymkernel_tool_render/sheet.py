"""Functions and classes for contact sheets, which show several evenly spaced frames of a run in a single image."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel_util_spaces.pictures import as_rgb, encode_png

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["Sheet", "Thinned", "contact_sheet"]

GAP: Final = 6
GREY: Final = 0xB4
"""The grey level of the lines between frames, which is visible next to both light and dark frames."""
WIDE: Final = 1.6
"""The preferred ratio of a sheet's width to its height."""
SPARE: Final = 4
"""How many frames to store for each frame that is shown. Storing more frames makes the spacing more even."""


class Thinned:
    """A selection of evenly spaced items from a sequence of unknown length, including the first and the last item.

    However long the sequence is, the memory use is bounded.

    Args:
        count: the number of items to select.

    >>> thinned = Thinned(4)
    >>> for letter in "abcdefghijklmnopqrstuvwxyz":
    ...     thinned.add(letter)
    >>> thinned.chosen()
    [(0, 'a'), (8, 'i'), (16, 'q'), (25, 'z')]
    """

    def __init__(self, count: int) -> None:
        self.count, self.length = count, 0
        self._every = 1
        self._kept: list[tuple[int, Any]] = []
        self._last: tuple[int, Any] | None = None

    def add(self, item: Any) -> None:
        """Add the next item of the sequence.

        Args:
            item: the item to add.
        """
        self._last = (self.length, item)
        if self.length % self._every == 0 and self.count > 1:
            self._kept.append(self._last)
            if len(self._kept) > SPARE * self.count:
                self._kept = self._kept[::2]
                self._every *= 2
        self.length += 1

    def chosen(self) -> list[tuple[int, Any]]:
        """Return the position and value of each selected item. If only one item is selected, it is the last item."""
        if self._last is None:
            return []
        pool = dict([*self._kept, self._last])
        targets = np.linspace(self._last[0], 0, self.count) if self.count > 1 else [self._last[0]]
        places = {min(pool, key=lambda place: abs(place - target)) for target in targets}
        return [(place, pool[place]) for place in sorted(places)]


def contact_sheet(pictures: Sequence[NDArray[Any]]) -> NDArray[np.uint8]:
    """Arrange images in a grid, row by row, with lines between them.

    Args:
        pictures: one or more uint8 images of shape (height, width, 3), (height, width) or (height, width, 4). Alpha
            channels are ignored.

    Returns:
        The sheet, of shape (height, width, 3). A single image is returned without a border.

    Raises:
        ValueError: if an image has a different shape or dtype, or if there are no images.

    >>> contact_sheet([np.zeros((40, 60, 3), np.uint8)] * 4).shape
    (98, 138, 3)
    """
    if not pictures:
        raise ValueError("Expected at least one image for a contact sheet, got none")
    frames = [as_rgb(picture) for picture in pictures]
    if len(frames) == 1:
        return frames[0]
    height, width = (max(frame.shape[axis] for frame in frames) + GAP for axis in (0, 1))
    columns = _columns(len(frames), width / height)
    sheet = np.full((math.ceil(len(frames) / columns) * height + GAP, columns * width + GAP, 3), GREY, np.uint8)
    for i, frame in enumerate(frames):
        top, left = GAP + i // columns * height, GAP + i % columns * width
        sheet[top : top + frame.shape[0], left : left + frame.shape[1]] = frame
    return sheet


def _columns(count: int, aspect: float) -> int:
    """Return the number of columns that gives a sheet an aspect ratio near `WIDE` and few empty cells.

    Args:
        count: the number of images.
        aspect: the ratio of an image's width to its height.
    """

    def cost(columns: int) -> float:
        rows = math.ceil(count / columns)
        return abs(math.log(columns * aspect / rows / WIDE)) + (rows * columns - count) / count

    return min(range(1, count + 1), key=cost)


class Sheet:
    """A writer for a PNG file that shows one or several frames.

    Args:
        path: the path of the file.
        frames: the number of frames to show. With 1, the last frame is shown.
    """

    def __init__(self, path: Path, frames: int = 1) -> None:
        self.path = path
        self._thinned = Thinned(frames)

    @property
    def places(self) -> list[int]:
        """The positions of the shown frames among all frames that were passed to `write`."""
        return [place for place, _ in self._thinned.chosen()]

    def write(self, picture: NDArray[Any]) -> None:
        """Store a copy of a frame, because the environment may reuse the array.

        Args:
            picture: the frame as a uint8 array of shape (height, width, 3), (height, width) or (height, width, 4).
        """
        self._thinned.add(np.array(picture))

    def close(self) -> None:
        """Write the file. If no frame was recorded, no file is written."""
        if self._thinned.length:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(encode_png(contact_sheet([picture for _, picture in self._thinned.chosen()])))
