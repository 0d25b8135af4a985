"""A progress bar for long commands, which is drawn on standard error together with the remaining time."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Final, Self

from gymkernel.cli.terminal import Terminal

__all__ = ["ProgressBar", "bar", "time_left"]

EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
MIN_INTERVAL: Final = 0.1
"""The minimum time between two updates of the line, in seconds."""
MIN_ELAPSED: Final = 1.0
"""The time in seconds after which the remaining time is shown. Earlier estimates would be too inaccurate."""


def bar(part: float, width: int, *, fancy: bool = True) -> str:
    """Return a horizontal bar as text.

    Args:
        part: the fraction of the bar to fill, from 0 to 1.
        width: the width of the full bar in characters.
        fancy: whether to use Unicode block characters. Otherwise, the bar consists of "#" characters.

    >>> bar(0.5, 8), bar(0.3, 4), bar(0.5, 8, fancy=False), bar(0.001, 8)
    ('████', '█▎', '####', '▏')
    """
    eighths = max(round(min(part, 1.0) * width * 8), 1) if part > 0 else 0
    if not fancy:
        return "#" * max(round(eighths / 8), 1 if eighths else 0)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def time_left(seconds: float) -> str:
    """Format the remaining time of a command for display.

    Args:
        seconds: the time in seconds, at least 0.

    >>> time_left(7.2), time_left(95), time_left(4000)
    ('8 s left', '1:35 min left', '1:06 h left')
    """
    whole = int(seconds) + 1 if seconds % 1 else int(seconds)
    if whole < 60:
        return f"{whole} s left"
    size, unit = (60, "min") if whole < 3600 else (3600, "h")
    return f"{whole // size}:{whole % size * 60 // size:02d} {unit} left"


class ProgressBar:
    """A progress bar on standard error. If standard error is not a terminal, nothing is shown.

    The line is drawn at most ten times per second, so `update` may be called at every step. Other code that writes to
    the terminal must call `erase` first. The line is erased at the end of the `with` block, even after Ctrl-C.

    Args:
        total: the total amount of work. The attribute may be changed later.
        terminal: the terminal to draw on, or None for standard error.
        clock: a function that returns the time in seconds.

    >>> with ProgressBar(total=20) as progress:
    ...     for done in range(20):
    ...         progress.update(done, f"episode {done}")
    """

    def __init__(
        self, total: float = 1.0, terminal: Terminal | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.total, self.clock = total, clock
        self.terminal = Terminal(sys.stderr) if terminal is None else terminal
        self._start, self._last_update = clock(), float("-inf")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.erase()

    @property
    def due(self) -> bool:
        """Whether calling `update` would draw the line now. If not, the caller need not prepare a text."""
        return self.terminal.live and self.clock() - self._last_update >= MIN_INTERVAL

    def update(self, done: float, text: str = "") -> None:
        """Show how much work is done, and a text that describes the current work.

        Args:
            done: the amount of work done so far, between 0 and `total`.
            text: the text to show after the bar. The line is truncated to the width of the terminal.
        """
        terminal = self.terminal
        if not terminal.live or (now := self.clock()) - self._last_update < MIN_INTERVAL:
            return
        self._last_update = now
        part = min(done / self.total, 1.0) if self.total else 1.0
        width = 20 if terminal.width >= 100 else 12
        parts = [f"{part:4.0%}"]
        if part > 0 and now - self._start >= MIN_ELAPSED:
            parts.append(time_left((now - self._start) * (1 - part) / part))
        parts += [text] if text else []
        fill = bar(part, width, fancy=terminal.unicode).ljust(width, terminal.sign("·", "."))
        # Some room is left for the ^C that the terminal echoes.
        space = terminal.width - width - 4
        terminal.write_live(terminal.paint(fill, "cyan") + "  ".join(["", *parts])[:space])

    def erase(self) -> None:
        """Erase the line. The next call to `update` draws the line again."""
        self.terminal.erase()
        self.terminal.stream.flush()
        self._last_update = float("-inf")
