"""What an environment renders, in the terminal: its text, or its pictures as blocks of colour, at its own pace."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

import click

from gymkernel_tool_render.blocks import fitted, half_blocks
from gymkernel_tool_render.recording import run_for

if TYPE_CHECKING:
    from gymkernel.cli.terminal import Terminal
    from gymkernel.utils.episodes import Episodes

__all__ = ["Pace", "caption", "show_pictures", "show_text"]

HIDE: Final = "\x1b[?25l"
SHOW: Final = "\x1b[?25h"
END_OF_LINE: Final = "\x1b[K"
DRAWN: Final = 20.0
"""Pictures in a second, at most: what a terminal over a network takes."""
LATEST: Final = 1.0
"""Seconds until the next picture, however late it is."""


class Pace:
    """Says what to draw, so that time on the screen is the environment's.

    Args:
        fps: frames per second.
        clock: in seconds.
        sleep: waits for seconds.
    """

    def __init__(
        self, fps: float, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], Any] = time.sleep
    ) -> None:
        self.fps, self.clock, self.sleep = fps, clock, sleep
        self._start: float | None = None
        self._drawn = float("-inf")

    def wait(self, frame: int) -> None:
        """Wait until it is the time of a frame."""
        if self._start is None:
            self._start = self.clock()
        left = self._start + frame / self.fps - self.clock()
        if left > 0:
            self.sleep(left)

    def draws(self, frame: int) -> bool:
        """Whether there is time to draw a frame: it is not late by more than one, and the last is long enough ago."""
        now = self.clock()
        late = self._start is not None and now - self._start > (frame + 1) / self.fps
        if now - self._drawn < (LATEST if late else 1 / DRAWN):
            return False
        self._drawn = now
        return True


def show_text(terminal: Terminal, run: Episodes, steps: int | None, pace: Pace) -> None:
    """Print what the environment renders as text, after every reset and step; only a terminal sees it at a pace."""
    for frame, _ in enumerate(run_for(run, steps)):
        if terminal.live:
            pace.wait(frame)
        text = run.text().rstrip("\n")
        click.echo(f"{terminal.paint(caption(run), dim=True)}\n{text}\n", file=terminal.stream, color=terminal.colour)


def show_pictures(terminal: Terminal, run: Episodes, steps: int | None, pace: Pace, bits: int) -> None:
    """Show pictures in one place of the terminal; the last one stays.

    Args:
        terminal: where.
        run: what to iterate over.
        steps: see `run_for`.
        pace: of the frames.
        bits: of colour, 24 or 8.
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
    """Draw over the picture before, of `height` lines; returns the height of this one."""
    size = shutil.get_terminal_size((80, 24))
    lines = half_blocks(fitted(picture, size.columns, max(size.lines - 2, 1)), bits)
    lines.append(terminal.paint(words[: size.columns - 1], dim=True))
    up = f"\x1b[{height}A\r" if height else ""
    terminal.stream.write(up + "".join(f"{line}{END_OF_LINE}\n" for line in lines) + "\x1b[J")
    terminal.stream.flush()
    return len(lines)


def caption(run: Episodes) -> str:
    """Where a run is, in a line."""
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
