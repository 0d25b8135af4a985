"""Writing for people: colour and live lines where there is a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

import click

__all__ = ["Terminal", "columns", "plural", "table"]


def plural(count: int, word: str) -> str:
    """A number and its noun.

    >>> plural(1, "rule"), plural(2, "rule")
    ('1 rule', '2 rules')
    """
    return f"{count} {word}{'' if count == 1 else 's'}"


def table(rows: Iterable[Sequence[str]], indent: int = 2, gap: int = 2) -> list[str]:
    """Rows as lines with their columns aligned.

    >>> table([("Box", "0.1"), ("Discrete", "0.1")])
    ['  Box       0.1', '  Discrete  0.1']
    """
    rows = list(rows)
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(max(map(len, rows), default=0))]
    cells = ([cell.ljust(width) for cell, width in zip(row, widths, strict=False)] for row in rows)
    return [" " * indent + (" " * gap).join(row).rstrip() for row in cells]


def columns(names: Sequence[str], width: int, rows: int) -> list[str]:
    """Names in as many columns as a width has room for; those that do not fit into some rows are counted.

    >>> columns(["Box", "Dict", "Graph", "OneOf", "Text"], 24, 2)
    ['  Box    Dict   Graph', '  OneOf  Text']
    >>> columns(["Box", "Dict", "Graph", "OneOf", "Text"], 24, 1)
    ['  Box    Dict   3 more']
    """
    cell = max(map(len, names), default=0) + 2
    many = max((width - 2) // cell, 1)
    hidden = len(names) - many * rows
    shown = [*names[: many * rows - 1], f"{hidden + 1} more"] if hidden > 0 else names
    shown = [name.ljust(cell) for name in shown]
    return [f"  {''.join(shown[i : i + many])}".rstrip() for i in range(0, len(shown), many)]


class Terminal:
    """A stream, and what it can show.

    Args:
        stream: standard output by default.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = sys.stdout if stream is None else stream
        self.live = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self.colour = self.live and not os.environ.get("NO_COLOR")
        self.unicode = _encodes(self.stream, "✓✗…·●○")
        self.width = min(shutil.get_terminal_size((100, 24)).columns, 120) if self.live else 100
        self._pending = False

    def paint(self, text: str, colour: str | None = None, *, bold: bool = False, dim: bool = False) -> str:
        """The text in a colour, where there is colour."""
        if not self.colour or not text:
            return text
        return click.style(text, fg=colour, bold=bold or None, dim=dim or None)

    def sign(self, fancy: str, plain: str) -> str:
        """A sign, or its plain form where the stream cannot encode it."""
        return fancy if self.unicode else plain

    def write(self, text: str = "") -> None:
        """Write a line, in the place of a live one."""
        self.erase()
        if not self.unicode:
            text = text.encode(getattr(self.stream, "encoding", None) or "ascii", "replace").decode("ascii", "replace")
        self.stream.write(f"{text}\n")
        self.stream.flush()

    def write_live(self, text: str) -> None:
        """Write a line that the next one takes the place of; nothing where there is no terminal."""
        if self.live:
            self.stream.write(f"\r\x1b[K{text}")
            self.stream.flush()
            self._pending = True

    def erase(self) -> None:
        """Take the live line away."""
        if self._pending:
            self.stream.write("\r\x1b[K")
            self._pending = False

    def wrap(self, label: str, text: str, indent: int) -> list[str]:
        """A label and a text broken into lines that align behind it."""
        import textwrap

        wrapper = textwrap.TextWrapper(self.width, label.ljust(indent), " " * indent)
        wrapper.break_long_words = wrapper.break_on_hyphens = False
        return wrapper.wrap(text)


def _encodes(stream: TextIO, text: str) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
