"""Functions that detect changes to parts of a space that give no notification when they change.

A gymkernel space reports changes to its attributes, and the dict of a `Dict` reports changes to its keys. However, a
list or a plain dict that a program has assigned to `spaces` reports nothing, and neither does a space from another
library. Therefore, a plan compares these objects with their earlier state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from gymkernel.space import Space

__all__ = ["silent_parts", "spaces_inside"]


def spaces_inside(space: Any, *, also_attributes: bool) -> list[Any]:
    """Return the inner spaces of a space, or an empty list if the space comes from another library.

    Args:
        space: a space from any library.
        also_attributes: whether to include spaces that are only attributes. This makes later attribute access slower.
    """
    if not isinstance(space, Space):
        return []
    parts = [part for _, part in space.parts()]
    if not also_attributes:
        return parts
    return parts + [value for value in vars(space).values() if isinstance(value, Space)]


def silent_parts(space: Any) -> list[Callable[[], bool]]:
    """Return a function for each part of a space, except inner spaces, that gives no notification when it changes.

    The function returns whether the part is still the same as now.

    Args:
        space: a space from any library.
    """
    if not isinstance(space, Space):
        facts = list(_facts(space))
        return [lambda: list(_facts(space)) == facts]
    inner = getattr(space, "spaces", None)
    if not isinstance(inner, Mapping | list) or getattr(inner, "reports_changes", False):
        return []
    content = _content(inner)
    return [lambda: _are_same(_content(inner), content)]


def _content(container: Any) -> list[Any]:
    if isinstance(container, Mapping):
        return [key_or_space for item in container.items() for key_or_space in item]
    return list(container)


def _are_same(content: list[Any], earlier: list[Any]) -> bool:
    """Return whether a container has the same spaces as earlier, with the same keys and in the same order."""
    pairs = zip(content, earlier, strict=False)
    return len(content) == len(earlier) and all(a is b or (isinstance(a, str) and a == b) for a, b in pairs)


def _facts(value: Any, depth: int = 0) -> Iterable[Any]:
    """Yield the comparable parts of a value, such as numbers, the bytes of arrays and the attributes of spaces.

    Random generators of spaces are ignored.
    """
    yield type(value)
    if isinstance(value, np.ndarray):
        yield value.dtype
        yield value.shape
        yield value.tobytes()
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield key
            yield from _facts(part, depth + 1)
    elif isinstance(value, tuple | list):
        yield len(value)
        for part in value:
            yield from _facts(part, depth + 1)
    elif callable(getattr(value, "sample", None)) and depth < DEEPEST:
        for name, part in getattr(value, "__dict__", {}).items():
            if name != "_np_random":
                yield name
                yield from _facts(part, depth + 1)
    elif isinstance(value, int | float | str | bytes | np.generic | np.dtype | frozenset | None):
        yield value
    else:
        yield id(value)


DEEPEST = 100
"""The depth at which a comparison of nested spaces stops, because an attribute may refer back to its space."""
