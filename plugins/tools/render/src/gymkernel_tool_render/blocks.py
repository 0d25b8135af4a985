"""Functions that show images as coloured text, in which each character represents two pixels."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel_util_spaces.pictures import as_rgb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel.cli.terminal import Terminal

__all__ = ["colours", "fitted", "half_blocks"]

UPPER_HALF: Final = "▀"
RESET: Final = "\x1b[0m"
EXACT: Final = {"alacritty", "contour", "foot", "ghostty", "iTerm.app", "kitty", "vscode", "WezTerm", "wezterm"}
"""The values of TERM (without "xterm-") and TERM_PROGRAM in terminals that support 24-bit colour."""
CUBE: Final = np.array([0, 95, 135, 175, 215, 255])
"""The levels of each colour component in the 256-colour palette's colour cube, which starts at entry 16."""


def colours(terminal: Terminal, environ: Mapping[str, str] | None = None) -> int:
    """Return the colour depth of a terminal: 24 or 8 bits, or 0 if the terminal probably cannot show images.

    Args:
        terminal: the terminal.
        environ: the environment variables to use; None for those of the current process.
    """
    known = os.environ if environ is None else environ
    term = known.get("TERM", "")
    if not terminal.colour or not terminal.unicode:
        return 0
    if known.get("COLORTERM") in {"truecolor", "24bit"} or "WT_SESSION" in known or "direct" in term:
        return 24
    if {term.removeprefix("xterm-"), known.get("TERM_PROGRAM", "")} & EXACT:
        return 24
    return 8 if "256" in term else 0


def fitted(picture: NDArray[Any], columns: int, lines: int) -> NDArray[np.uint8]:
    """Resize an image to fit a terminal in which each character shows two pixels, one above the other.

    A large image is reduced by averaging areas, and a small image is magnified by an integer factor.

    Args:
        picture: a uint8 image of shape (height, width, 3), (height, width) or (height, width, 4).
        columns: the number of characters per line.
        lines: the number of lines.

    >>> fitted(np.zeros((400, 600, 3), np.uint8), 80, 24).shape
    (48, 72, 3)
    >>> fitted(np.zeros((8, 8, 3), np.uint8), 80, 24).shape
    (48, 48, 3)
    """
    rgb = as_rgb(picture)
    height, width = rgb.shape[:2]
    scale = min(columns / width, 2 * lines / height)
    if scale >= 1:
        times = int(scale)
        return np.repeat(np.repeat(rgb, times, axis=0), times, axis=1)
    narrow = _area_means(rgb.astype(np.float32), max(round(height * scale), 1), 0)
    averaged: NDArray[np.uint8] = np.rint(_area_means(narrow, max(round(width * scale), 1), 1)).astype(np.uint8)
    return averaged


def _area_means(picture: NDArray[Any], length: int, axis: int) -> NDArray[Any]:
    """Divide an axis into nearly equal parts of whole pixels, and return the mean of each part."""
    edges = np.arange(length + 1) * picture.shape[axis] // length
    shape = [1, 1, 1]
    shape[axis] = length
    means: NDArray[Any] = np.add.reduceat(picture, edges[:-1], axis=axis) / np.diff(edges).reshape(shape)
    return means


def half_blocks(picture: NDArray[np.uint8], bits: int = 24) -> list[str]:
    r"""Return the lines of text that show an image. Each line contains two rows of pixels.

    Args:
        picture: a uint8 image of shape (height, width, 3). If the height is odd, the last row is shown twice.
        bits: the colour depth: 24, or 8 for the 256-colour palette.

    >>> half_blocks(np.array([[[255, 0, 0]], [[0, 0, 255]]], np.uint8))
    ['\x1b[38;2;255;0;0;48;2;0;0;255m▀\x1b[0m']
    """
    if picture.shape[0] % 2:
        picture = np.concatenate([picture, picture[-1:]])
    codes = picture.tolist() if bits == 24 else _palette(picture)[..., None].tolist()
    kind = "2" if bits == 24 else "5"
    lines = []
    for uppers, lowers in zip(codes[::2], codes[1::2], strict=True):
        parts, previous = [], None
        for upper, lower in zip(uppers, lowers, strict=True):
            if (upper, lower) != previous:
                previous = upper, lower
                front, back = ";".join(map(str, upper)), ";".join(map(str, lower))
                parts.append(f"\x1b[38;{kind};{front};48;{kind};{back}m")
            parts.append(UPPER_HALF)
        lines.append("".join(parts) + RESET)
    return lines


def _palette(picture: NDArray[np.uint8]) -> NDArray[np.int64]:
    """For each pixel, return the palette index of the nearest colour in the colour cube and the 24 greys."""
    wide = picture.astype(np.int64)
    levels = np.abs(wide[..., None] - CUBE).argmin(axis=-1)
    grey = np.clip((wide.mean(axis=-1) - 3) // 10, 0, 23).astype(np.int64)
    far = ((CUBE[levels] - wide) ** 2).sum(axis=-1)
    far_of_grey = (((8 + 10 * grey)[..., None] - wide) ** 2).sum(axis=-1)
    coloured = 16 + levels @ np.array([36, 6, 1])
    nearest: NDArray[np.int64] = np.where(far_of_grey < far, 232 + grey, coloured)
    return nearest
