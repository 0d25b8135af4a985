"""Functions and classes that detect changes to parts of a space that give no notification when they change.

A gymkernel space reports changes to its attributes, and the dict of a `Dict` reports changes to its keys. However, a
list or a plain dict that a program has assigned to `spaces` reports nothing, and neither does a space from another
library. Therefore, a plan compares these objects with their earlier state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from gymkernel.space import Space

__all__ = ["Silent", "silent_parts", "spaces_inside"]


class Silent(Protocol):
    """A snapshot of a part of a space that gives no notification when it changes."""

    def is_unchanged(self) -> bool:
        """Return whether the part is unchanged since the snapshot was taken."""


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


def silent_parts(space: Any) -> list[Silent]:
    """Return snapshots of the parts of a space, but not of inner spaces, that give no notification when they change.

    Args:
        space: a space from any library.
    """
    if not isinstance(space, Space):
        return [_Foreign(space)]
    inner = getattr(space, "spaces", None)
    if inner is None or isinstance(inner, tuple) or getattr(inner, "reports_changes", False):
        return []
    return [_Container(inner)] if isinstance(inner, Mapping | list) else []


class _Container:
    def __init__(self, container: Any) -> None:
        self.container, self.content = container, _content(container)

    def is_unchanged(self) -> bool:
        """Return whether the container still has the same spaces, with the same keys and in the same order."""
        content = _content(self.container)
        return len(content) == len(self.content) and all(map(_are_identical, content, self.content))


def _content(container: Any) -> list[Any]:
    if isinstance(container, Mapping):
        return [key_or_space for item in container.items() for key_or_space in item]
    return list(container)


def _are_identical(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, str) and a == b)


class _Foreign:
    """A snapshot of a space that comes from another library."""

    def __init__(self, space: Any) -> None:
        self.space, self.facts = space, list(_facts(space))

    def is_unchanged(self) -> bool:
        """Return whether the space and its inner spaces still have the same attributes, ignoring random generators."""
        return list(_facts(self.space)) == self.facts


def _facts(value: Any, depth: int = 0) -> Iterable[Any]:
    """Yield the comparable parts of a value, such as numbers, the bytes of arrays and the attributes of spaces."""
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
