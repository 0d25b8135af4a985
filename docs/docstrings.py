"""What Sphinx and napoleon would make of our docstrings that we did not mean, mended before and after napoleon.

* The sentence below an attribute is a sentence: napoleon takes what stands before its first colon for a type.
* `Returns:` may list several values, `name: what it is`: napoleon takes the first for a type and joins the rest.
* Tables, and lines of code that are indented below a colon, are written as in Markdown; to reStructuredText they are
  something else.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sphinx.application import Sphinx

NAPOLEON: Final = 500
"""The priority at which napoleon hears of a docstring."""
COLON: Final = "\N{MODIFIER LETTER COLON}"
VALUE: Final = re.compile(r"(\s+)(\w+): (.*)")


def setup(app: Sphinx) -> None:
    """Hear of every docstring before napoleon and after it."""
    app.connect("autodoc-process-docstring", _before, priority=NAPOLEON - 100)
    app.connect("autodoc-process-docstring", _after, priority=NAPOLEON + 100)


def _before(_app: Sphinx, what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    for i, line in enumerate(lines[:-2]):
        if line.endswith(":") and not lines[i + 1].strip() and lines[i + 2].startswith(f"{_margin(line)}    "):
            lines[i] = f"{line}:"
    if what in {"attribute", "data", "property"}:
        lines[:] = [line.replace(":", COLON) for line in lines]
    elif "Returns:" in lines:
        start = lines.index("Returns:") + 1
        end = next((i for i, line in enumerate(lines[start:], start) if line[:1].strip()), len(lines))
        while end > start and not lines[end - 1].strip():
            end -= 1
        if len([line for line in lines[start:end] if VALUE.fullmatch(line)]) > 1:
            lines[start:end] = [_item(line) for line in lines[start:end]]


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _item(line: str) -> str:
    found = VALUE.fullmatch(line)
    return f"{found[1]}* *{found[2]}*{COLON} {found[3]}" if found else f"  {line}"


def _after(_app: Sphinx, _what: str, _name: str, _obj: object, _options: object, lines: list[str]) -> None:
    lines[:] = [line.replace(COLON, ":") for line in lines]
    mended: list[str] = []
    for is_row, block in groupby(lines, lambda line: line.lstrip().startswith("|")):
        rows = list(block)
        mended += _table(rows) if is_row else rows
    lines[:] = mended


def _table(rows: list[str]) -> list[str]:
    """The rows of a table in Markdown as a `list-table`."""
    margin = _margin(rows[0])
    cells = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in rows]
    if len(rows) < 2 or "-" not in rows[1] or set("".join(cells[1])) - set("-: "):
        return rows
    table = ["", f"{margin}.. list-table::", f"{margin}   :header-rows: 1", ""]
    for row in [cells[0], *cells[2:]]:
        table += [f"{margin}   {'* - ' if i == 0 else '  - '}{cell}" for i, cell in enumerate(row)]
    return [*table, ""]
