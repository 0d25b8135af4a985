"""A space as HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any

__all__ = ["tree"]

LONGEST = 160
"""Characters of a leaf; the bounds of a large Box would fill the page."""


def tree(space: Any, label: str = "") -> str:
    """A space and the spaces inside as nested lists that fold.

    Args:
        space: what is shown; what has no method `parts` is one line.
        label: what stands before it in bold: its key in the space around it.

    Returns:
        HTML, which has no style of its own.

    >>> class Pair:
    ...     def parts(self):
    ...         return [("left", 1), ("right", 2)]
    >>> tree(Pair())
    '<details open><summary>Pair</summary><ul><li><b>left</b>: <code>1</code></li><li><b>right</b>: ...'
    """
    name = f"<b>{escape(label)}</b>: " if label else ""
    inside = space.parts() if hasattr(space, "parts") else ()
    if inside:
        rows = "".join(f"<li>{tree(part, str(key))}</li>" for key, part in inside)
        return f"<details open><summary>{name}{escape(type(space).__name__)}</summary><ul>{rows}</ul></details>"
    text = " ".join(repr(space).split())
    return f"{name}<code>{escape(text if len(text) <= LONGEST else text[: LONGEST - 3] + '...')}</code>"
