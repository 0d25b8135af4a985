"""Functions that show an environment in the terminal in real time, as text or coloured blocks."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from gymkernel.cli.terminal import LINES, Terminal
from gymkernel.utils.printable import printable
from gymkernel_tool_render.blocks import fitted, half_blocks
from gymkernel_tool_render.recording import run_for

if TYPE_CHECKING:
    from gymkernel_util_tools.episodes.runner import Episodes

__all__ = ["Pace", "caption", "drawn_text", "show_pictures", "show_text"]

HIDE: Final = "\x1b[?25l"
SHOW: Final = "\x1b[?25h"
SGR: Final = re.compile(r"(\x1b\[[0-9;:]*m)")
"""Matches an escape sequence that sets a colour."""
END_OF_LINE: Final = "\x1b[K"
MAX_FRAME_RATE: Final = 20.0
"""The maximum number of frames to draw per second. Terminals can handle this rate even over a network."""
MAX_DELAY: Final = 1.0
"""The maximum time between two drawn frames in seconds, which applies even if the preview is behind schedule."""


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
