"""Writing for people: colour and live lines where there is a terminal, plain lines elsewhere."""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

import click

from gymkernel.utils.printable import printable

__all__ = ["LINES", "Terminal", "columns", "echo", "plural", "table"]

LINES = "\n\t"
"""What is left of the control characters in a text of several lines."""


def echo(text: str, *, err: bool = False) -> None:
    """Write a text of one or more lines, as JSON too, with every other control character escaped.

    Args:
        text: what to write; a line break is added.
        err: write to standard error.
    """
    click.echo(printable(text, LINES), err=err)


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
    rows = [[printable(cell) for cell in row] for row in rows]
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
    names = [*map(printable, names)]
    cell = max(map(len, names), default=0) + 2
    many = max((width - 2) // cell, 1)
    hidden = len(names) - many * rows
    shown = [*names[: many * rows - 1], f"{hidden + 1} more"] if hidden > 0 else names
    shown = [name.ljust(cell) for name in shown]
    return [f"  {''.join(shown[i : i + many])}".rstrip() for i in range(0, len(shown), many)]


class Terminal:
    """A stream, and what it can show. Only the colours of `paint` reach it: other control characters are escaped.

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
        self._escape = os.urandom(8).hex()  # no text from elsewhere can contain it

    def paint(self, text: str, colour: str | None = None, *, bold: bool = False, dim: bool = False) -> str:
        """Return the text in a colour where the stream has colour, for `write` and `write_live`."""
        if not self.colour or not text:
            return text
        return click.style(printable(text), fg=colour, bold=bold or None, dim=dim or None).replace("\x1b", self._escape)

    def sign(self, fancy: str, plain: str) -> str:
        """A sign, or its plain form where the stream cannot encode it."""
        return fancy if self.unicode else plain

    def shown(self, text: str) -> str:
        """Return a line as the stream can show it: painted parts in colour, other control characters escaped."""
        if not self.unicode:
            text = text.encode(getattr(self.stream, "encoding", None) or "ascii", "replace").decode("ascii", "replace")
        return printable(text).replace(self._escape, "\x1b")

    def write(self, text: str = "") -> None:
        """Write a line, in the place of a live one."""
        self.erase()
        self.stream.write(f"{self.shown(text)}\n")
        self.stream.flush()

    def write_live(self, text: str) -> None:
        """Write a line that the next one takes the place of; nothing where there is no terminal."""
        if self.live:
            self.stream.write(f"\r\x1b[K{self.shown(text)}")
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

        wrapper = textwrap.TextWrapper(self.width, printable(label).ljust(indent), " " * indent)
        wrapper.break_long_words = wrapper.break_on_hyphens = False
        return wrapper.wrap(printable(text, "\n\t\r\v\f"))  # white space becomes blanks


def _encodes(stream: TextIO, text: str) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
