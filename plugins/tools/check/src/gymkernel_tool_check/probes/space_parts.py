"""Finds the parts of a composite space."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gymkernel_tool_check.introspect import read

__all__ = ["boxes", "leaves"]


def leaves(space: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the parts of a space, or the space itself if it has no parts, with their paths.

    Args:
        space: a space of any library.
        path: the path of the space in its parent.
    """
    parts = read(space, "spaces")
    if isinstance(parts, dict) and parts:
        for key, part in parts.items():
            yield from leaves(part, f"{path}[{key!r}]")
    elif isinstance(parts, tuple) and parts and all(cls.__name__ != "OneOf" for cls in type(space).__mro__):
        for i, part in enumerate(parts):
            yield from leaves(part, f"{path}[{i}]")
    else:
        yield path, space


def boxes(space: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a space that are arrays with bounds, with their paths.

    Args:
        space: a space of any library.
    """
    for path, leaf in leaves(space):
        if isinstance(read(leaf, "low"), np.ndarray) and isinstance(read(leaf, "high"), np.ndarray):
            yield path, leaf
