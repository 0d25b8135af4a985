"""Functions that iterate over the inner spaces of a composite space."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gymkernel_tool_check.introspect import read

__all__ = ["boxes", "leaves"]


def leaves(space: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, space) for each innermost space. A space that is not composite is itself yielded.

    Args:
        space: a space from any library.
        path: a prefix for the yielded paths.
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
    """Yield (path, space) for each innermost space whose elements are arrays within bounds.

    Args:
        space: a space from any library.
    """
    for path, leaf in leaves(space):
        if isinstance(read(leaf, "low"), np.ndarray) and isinstance(read(leaf, "high"), np.ndarray):
            yield path, leaf
