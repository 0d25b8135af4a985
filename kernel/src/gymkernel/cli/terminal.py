"""Human-readable output, with colours and progress lines on a terminal and plain lines elsewhere."""

import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import TextIO

import click

from gymkernel.utils.printable import printable

__all__ = ["LINES", "Terminal", "columns", "echo", "plural", "table"]

LINES = "\n\t"
"""Control characters that are not escaped in multi-line text."""


def echo(text: str, *, err: bool = False) -> None:
    """Print a text, such as JSON, and escape all control characters except line breaks and tabs.

    Args:
        text: the text to print, without the final line break.
        err: whether to print to standard error instead of standard output.
    """
    click.echo(printable(text, LINES), err=err)


def plural(count: int, word: str) -> str:
    """Return a number followed by a noun. The noun is plural unless the number is 1.

    >>> plural(1, "rule"), plural(2, "rule")
    ('1 rule', '2 rules')
    """
    return f"{count} {word}{'' if count == 1 else 's'}"


def table(rows: Iterable[Sequence[str]], indent: int = 2, gap: int = 2) -> list[str]:
    """Format rows as lines with aligned columns.

    >>> table([("Box", "0.1"), ("Discrete", "0.1")])
    ['  Box       0.1', '  Discrete  0.1']
    """
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(max(map(len, rows), default=0))]
    cells = ([cell.ljust(width) for cell, width in zip(row, widths, strict=False)] for row in rows)
    return [" " * indent + (" " * gap).join(row).rstrip() for row in cells]


def columns(names: Sequence[str], width: int, rows: int) -> list[str]:
    """Arrange names in columns. If some names do not fit, the last entry says how many were left out.

    >>> columns(["Box", "Dict", "Graph", "OneOf", "Text"], 24, 2)
    ['  Box    Dict   Graph', '  OneOf  Text']
    >>> columns(["Box", "Dict", "Graph", "OneOf", "Text"], 24, 1)
    ['  Box    Dict   3 more']
    """
    names = [*map(printable, names)]
    cell = max(map(len, names), default=0) + 2
    count = max((width - 2) // cell, 1)
    hidden = len(names) - count * rows
    visible = [*names[: count * rows - 1], f"{hidden + 1} more"] if hidden > 0 else names
    visible = [name.ljust(cell) for name in visible]
    return [f"  {''.join(visible[i : i + count])}".rstrip() for i in range(0, len(visible), count)]


class Terminal:
    """A writer for an output stream. Colours and symbols are used only if the stream supports them.

    All control characters are escaped, except for the colour codes that `paint` adds.

    Args:
        stream: the stream to write to, or None for standard output.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = sys.stdout if stream is None else stream
        self.live = self.stream.isatty() and os.environ.get("TERM") != "dumb"
        self.colour = self.live and not os.environ.get("NO_COLOR")
        self.unicode = _encodes(self.stream, "✓✗…·●○")
        self.width = min(shutil.get_terminal_size((100, 24)).columns, 120) if self.live else 100
        self._pending = False
        self._escape = os.urandom(8).hex()  # random, so that no text can contain this string by chance

    def paint(self, text: str, colour: str | None = None, *, bold: bool = False, dim: bool = False) -> str:
        """Add a colour or style to a text that is passed to `write` or `write_live`, if the stream supports colours."""
        if not self.colour or not text:
            return text
        return click.style(printable(text), fg=colour, bold=bold or None, dim=dim or None).replace("\x1b", self._escape)

    def sign(self, fancy: str, plain: str) -> str:
        """Return a symbol, or an ASCII replacement if the stream cannot encode the symbol."""
        return fancy if self.unicode else plain

    def shown(self, text: str) -> str:
        """Escape all control characters in a line, and replace all characters that the stream cannot encode."""
        if not self.unicode:
            text = text.encode(getattr(self.stream, "encoding", None) or "ascii", "replace").decode("ascii", "replace")
        return printable(text).replace(self._escape, "\x1b")

    def write(self, *lines: str) -> None:
        """Write lines, the first of which replaces the current progress line."""
        self.erase()
        for line in lines:
            self.stream.write(f"{self.shown(line)}\n")
        self.stream.flush()

    def write_live(self, text: str) -> None:
        """Write a progress line, which the next line replaces. If the stream is not a terminal, write nothing."""
        if self.live:
            self.stream.write(f"\r\x1b[K{self.shown(text)}")
            self.stream.flush()
            self._pending = True

    def erase(self) -> None:
        """Erase the current progress line."""
        if self._pending:
            self.stream.write("\r\x1b[K")
            self._pending = False

    def wrap(self, label: str, text: str, indent: int) -> list[str]:
        """Break a text into lines. Put a label before the first line, and indent all other lines accordingly."""
        import textwrap

        wrapper = textwrap.TextWrapper(self.width, printable(label).ljust(indent), " " * indent)
        wrapper.break_long_words = wrapper.break_on_hyphens = False
        return wrapper.wrap(printable(text, "\n\t\r\v\f"))  # line breaks and tabs become spaces


def _encodes(stream: TextIO, text: str) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
