"""Contact sheets: some frames of a run, evenly spaced, in one picture."""

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
"""Between the frames, which are mostly light or mostly dark."""
WIDE: Final = 1.6
"""Width per height that a sheet comes near to."""
SPARE: Final = 4
"""How many frames are kept for each that is shown: chosen from many, they are nearly evenly spaced."""


class Thinned:
    """The first and the last of a sequence whose length nobody knows, and some in between, in bounded memory.

    Args:
        count: how many are wanted.

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
        """Take in the next one."""
        self._last = (self.length, item)
        if self.length % self._every == 0 and self.count > 1:
            self._kept.append(self._last)
            if len(self._kept) > SPARE * self.count:
                self._kept = self._kept[::2]
                self._every *= 2
        self.length += 1

    def chosen(self) -> list[tuple[int, Any]]:
        """Those wanted, with their places in the sequence; only the last one where one is wanted."""
        if self._last is None:
            return []
        pool = dict([*self._kept, self._last])
        wanted = np.linspace(self._last[0], 0, self.count) if self.count > 1 else [self._last[0]]
        places = {min(pool, key=lambda place: abs(place - one)) for one in wanted}
        return [(place, pool[place]) for place in sorted(places)]


def contact_sheet(pictures: Sequence[NDArray[Any]]) -> NDArray[np.uint8]:
    """Pictures in rows from left to right, with a line between them.

    Args:
        pictures: at least one, uint8 of (height, width, 3), or grey, or with a fourth channel, which is left out.

    Returns:
        One picture, of (height, width, 3); the only one as it is.

    Raises:
        ValueError: another shape or dtype, or no picture.

    >>> contact_sheet([np.zeros((40, 60, 3), np.uint8)] * 4).shape
    (98, 138, 3)
    """
    if not pictures:
        raise ValueError("Expected at least one picture for a contact sheet, got none")
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
    """How many columns suit pictures of an aspect: near to `WIDE`, with few places empty."""

    def cost(columns: int) -> float:
        rows = math.ceil(count / columns)
        return abs(math.log(columns * aspect / rows / WIDE)) + (rows * columns - count) / count

    return min(range(1, count + 1), key=cost)


class Sheet:
    """What becomes a PNG file of one or several frames.

    Args:
        path: the file.
        frames: how many to show; of one, the last.
    """

    def __init__(self, path: Path, frames: int = 1) -> None:
        self.path = path
        self._thinned = Thinned(frames)

    @property
    def places(self) -> list[int]:
        """Which of the frames that were written are shown."""
        return [place for place, _ in self._thinned.chosen()]

    def write(self, picture: NDArray[Any]) -> None:
        """Take in a frame; a copy, since environments may draw on."""
        self._thinned.add(np.array(picture))

    def close(self) -> None:
        """Write the file; without a frame there is none."""
        if self._thinned.length:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(encode_png(contact_sheet([picture for _, picture in self._thinned.chosen()])))
