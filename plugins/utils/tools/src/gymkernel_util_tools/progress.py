"""How much of a long command is done: one live line on standard error, with a bar and the time that is left."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Final, Self

from gymkernel.cli.terminal import Terminal

__all__ = ["ProgressBar", "bar", "time_left"]

EIGHTHS: Final = " ▏▎▍▌▋▊▉█"
OFTEN: Final = 0.1
"""Seconds between two drawings."""
SURE: Final = 1.0
"""Seconds after which what is left is told."""


def bar(part: float, width: int, *, fancy: bool = True) -> str:
    """A horizontal bar that fills a part of a width, in eighths of a character where these can be shown.

    Args:
        part: from 0 to 1.
        width: in characters.
        fancy: whether eighths of a character can be shown.

    >>> bar(0.5, 8), bar(0.3, 4), bar(0.5, 8, fancy=False), bar(0.001, 8)
    ('████', '█▎', '####', '▏')
    """
    eighths = max(round(min(part, 1.0) * width * 8), 1) if part > 0 else 0
    if not fancy:
        return "#" * max(round(eighths / 8), 1 if eighths else 0)
    return "█" * (eighths // 8) + EIGHTHS[eighths % 8].strip()


def time_left(seconds: float) -> str:
    """Seconds as people say them.

    Args:
        seconds: at least 0.

    >>> time_left(7.2), time_left(95), time_left(4000)
    ('8 s left', '1:35 min left', '1:06 h left')
    """
    whole = int(seconds) + 1 if seconds % 1 else int(seconds)
    if whole < 60:
        return f"{whole} s left"
    size, unit = (60, "min") if whole < 3600 else (3600, "h")
    return f"{whole // size}:{whole % size * 60 // size:02d} {unit} left"


class ProgressBar:
    """A live line on standard error; nothing where that is no terminal.

    It is drawn ten times a second at most, so that it may be told of every step. Who writes elsewhere on the terminal
    erases it first. Leaving its `with` block erases it, too, also after Ctrl-C.

    Args:
        total: how much there is to do; it may be set anew while it is being done.
        terminal: where; standard error by default.
        clock: in seconds.

    >>> with ProgressBar(total=20) as progress:
    ...     for done in range(20):
    ...         progress.update(done, f"episode {done}")
    """

    def __init__(
        self, total: float = 1.0, terminal: Terminal | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.total, self.clock = total, clock
        self.terminal = Terminal(sys.stderr) if terminal is None else terminal
        self._start, self._drawn = clock(), float("-inf")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.erase()

    @property
    def due(self) -> bool:
        """Whether an update would be drawn; where it is not, its text need not be made."""
        return self.terminal.live and self.clock() - self._drawn >= OFTEN

    def update(self, done: float, text: str = "") -> None:
        """Say how much is done, and what is being done.

        Args:
            done: of `total`.
            text: behind the bar, as much of it as there is room for.
        """
        terminal = self.terminal
        if not terminal.live or (now := self.clock()) - self._drawn < OFTEN:
            return
        self._drawn = now
        part = min(done / self.total, 1.0) if self.total else 1.0
        width = 20 if terminal.width >= 100 else 12
        parts = [f"{part:4.0%}"]
        if part > 0 and now - self._start >= SURE:
            parts.append(time_left((now - self._start) * (1 - part) / part))
        parts += [text] if text else []
        fill = bar(part, width, fancy=terminal.unicode).ljust(width, terminal.sign("·", "."))
        space = terminal.width - width - 4  # ^C is echoed behind the line
        terminal.write_live(terminal.paint(fill, "cyan") + "  ".join(["", *parts])[:space])

    def erase(self) -> None:
        """Take the line away; the next update draws it again."""
        self.terminal.erase()
        self.terminal.stream.flush()
        self._drawn = float("-inf")
