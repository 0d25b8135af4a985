"""Functions that show an environment in the terminal in real time, as text or coloured blocks."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.cli.terminal import LINES, Terminal
from gymkernel.utils.printable import printable
from gymkernel_tool_render.recording import run_for
from gymkernel_util_spaces.pictures import as_rgb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_util_tools.episodes import Episodes

__all__ = ["Pace", "caption", "colours", "drawn_text", "fitted", "half_blocks", "show_pictures", "show_text"]

HIDE: Final = "\x1b[?25l"
SHOW: Final = "\x1b[?25h"
SGR: Final = re.compile(r"(\x1b\[[0-9;:]*m)")
"""Matches an escape sequence that sets a colour."""
END_OF_LINE: Final = "\x1b[K"
MAX_FRAME_RATE: Final = 20.0
"""The maximum number of frames to draw per second. Terminals can handle this rate even over a network."""
MAX_DELAY: Final = 1.0
"""The maximum time between two drawn frames in seconds, which applies even if the preview is behind schedule."""

UPPER_HALF: Final = "▀"
RESET: Final = "\x1b[0m"
EXACT: Final = {"alacritty", "contour", "foot", "ghostty", "iTerm.app", "kitty", "vscode", "WezTerm", "wezterm"}
"""The values of TERM (without "xterm-") and TERM_PROGRAM in terminals that support 24-bit colour."""
CUBE: Final = np.array([0, 95, 135, 175, 215, 255])
"""The levels of each colour component in the 256-colour palette's colour cube, which starts at entry 16."""


class Pace:
    """The timing of a preview, which determines when to draw frames so that the run is shown in real time.

    Args:
        fps: the frame rate of the environment, in frames per second.
        clock: a function that returns the time in seconds.
        sleep: a function that waits for the given number of seconds.
    """

    def __init__(
        self, fps: float, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], Any] = time.sleep
    ) -> None:
        self.fps, self.clock, self.sleep = fps, clock, sleep
        self._start: float | None = None
        self._last_draw = float("-inf")

    def wait(self, frame: int) -> None:
        """Wait until it is time to draw a frame.

        Args:
            frame: the number of the frame, starting at 0.
        """
        if self._start is None:
            self._start = self.clock()
        left = self._start + frame / self.fps - self.clock()
        if left > 0:
            self.sleep(left)

    def draws(self, frame: int) -> bool:
        """Return whether to draw a frame. A frame is skipped if it is late or follows the previous frame too soon.

        Args:
            frame: the number of the frame, starting at 0.
        """
        now = self.clock()
        late = self._start is not None and now - self._start > (frame + 1) / self.fps
        if now - self._last_draw < (MAX_DELAY if late else 1 / MAX_FRAME_RATE):
            return False
        self._last_draw = now
        return True


def show_text(terminal: Terminal, run: Episodes, steps: int | None, pace: Pace) -> None:
    """Print the rendered text after every reset and step. In a terminal, the texts are shown in real time.

    Args:
        terminal: the terminal to write to.
        run: the run to show.
        steps: the maximum number of steps, see `run_for`.
        pace: the timing of the frames.
    """
    for frame, _ in enumerate(run_for(run, steps)):
        if terminal.live:
            pace.wait(frame)
        terminal.write(terminal.paint(caption(run), dim=True))
        terminal.stream.write(f"{drawn_text(run.text(), colour=terminal.colour)}\n\n")
        terminal.stream.flush()


def drawn_text(text: str, *, colour: bool) -> str:
    r"""Return the text that an environment rendered, with all control sequences escaped except those for colours.

    Args:
        text: the rendered text, which may contain ECMA-48 escape sequences.
        colour: whether the terminal supports colour. If not, the sequences for colours are removed.

    >>> drawn_text("\x1b[41mS\x1b[0mF\x1b[2J", colour=False)
    'SF\\u001b[2J'
    """
    parts = SGR.split(text.rstrip("\n"))  # every other part is an escape sequence for a colour
    if not colour or len(parts) == 1:
        return "".join(printable(part, LINES) for part in parts[::2])
    return "".join(part if i % 2 else printable(part, LINES) for i, part in enumerate(parts)) + "\x1b[0m"


def show_pictures(terminal: Terminal, run: Episodes, steps: int | None, pace: Pace, bits: int) -> None:
    """Show images in the terminal, drawing each image over the previous one. The last image remains on the screen.

    Args:
        terminal: the terminal to draw on.
        run: the run to show.
        steps: the maximum number of steps, see `run_for`.
        pace: the timing of the frames.
        bits: the colour depth, 24 or 8.
    """
    height = 0
    pending: Any = None
    terminal.stream.write(HIDE)
    try:
        for frame, _ in enumerate(run_for(run, steps)):
            pending = (run.frames() or [pending])[-1]
            pace.wait(frame)
            if pending is not None and pace.draws(frame):
                height = _draw(terminal, pending, caption(run), height, bits)
                pending = None
        if pending is not None:
            _draw(terminal, pending, caption(run), height, bits)
    finally:
        terminal.stream.write(SHOW)
        terminal.stream.flush()


def _draw(terminal: Terminal, picture: Any, words: str, height: int, bits: int) -> int:
    """Draw an image over the previous one, which is `height` lines high. Return the new image's height in lines."""
    size = shutil.get_terminal_size((80, 24))
    lines = half_blocks(fitted(picture, size.columns, max(size.lines - 2, 1)), bits)
    lines.append(terminal.shown(terminal.paint(words[: size.columns - 1], dim=True)))
    up = f"\x1b[{height}A\r" if height else ""
    terminal.stream.write(up + "".join(f"{line}{END_OF_LINE}\n" for line in lines) + "\x1b[J")
    terminal.stream.flush()
    return len(lines)


def caption(run: Episodes) -> str:
    """Return a line that describes the current state of a run.

    Args:
        run: the run to describe.
    """
    words = f"episode {run.episode}, step {run.step}"
    if run.action is None:
        return f"{words}, seed {run.seed}"
    words += f", action {' '.join(str(run.action).split())}, reward {_short(run.reward)}"
    ends = [name for name in ("terminated", "truncated") if getattr(run, name)]
    return ", ".join([words, *ends])


def _short(reward: Any) -> str:
    try:
        return f"{float(reward):.4g}"
    except (TypeError, ValueError):
        return " ".join(str(reward).split())


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
