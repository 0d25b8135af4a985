"""The dependencies of a plan: the inner spaces, and parts that do not report changes.

A gymkernel space reports changes of its attributes, and the dict of a `Dict` reports changes of its keys. A list or a
plain dict that a program has assigned to `spaces`, and a space of another library, report nothing, so a plan compares
them with their earlier state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from gymkernel.space import Space

__all__ = ["Silent", "silent_parts", "spaces_inside"]


class Silent(Protocol):
    """A part that does not report changes."""

    def is_unchanged(self) -> bool:
        """Return whether the part is unchanged since the object was created."""


def spaces_inside(space: Any, *, also_attributes: bool) -> list[Any]:
    """Return the inner spaces of a space, from its parts and attributes; for a space of another library, an empty list.

    Args:
        space: a space of any library.
        also_attributes: whether to search attributes, which makes later access to attributes slower.
    """
    if not isinstance(space, Space):
        return []
    parts = [part for _, part in space.parts()]
    if not also_attributes:
        return parts
    return parts + [value for value in vars(space).values() if isinstance(value, Space)]


def silent_parts(space: Any) -> list[Silent]:
    """Return the parts of a space that do not report changes; parts of inner spaces are not included.

    Args:
        space: a space of any library.
    """
    if not isinstance(space, Space):
        return [_Foreign(space)]
    inner = getattr(space, "spaces", None)
    if inner is None or isinstance(inner, tuple) or getattr(inner, "reports_changes", False):
        return []
    return [_Container(inner)] if isinstance(inner, Mapping | list) else []


class _Container:
    """A list or a dict of spaces."""

    def __init__(self, container: Any) -> None:
        self.container, self.content = container, _content(container)

    def is_unchanged(self) -> bool:
        """Return whether the container has the same spaces, under the same keys and in the same order."""
        content = _content(self.container)
        return len(content) == len(self.content) and all(map(_are_identical, content, self.content))


def _content(container: Any) -> list[Any]:
    if isinstance(container, Mapping):
        return [key_or_space for item in container.items() for key_or_space in item]
    return list(container)


def _are_identical(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, str) and a == b)


class _Foreign:
    """A space of another library."""

    def __init__(self, space: Any) -> None:
        self.space, self.facts = space, list(_facts(space))

    def is_unchanged(self) -> bool:
        """Return whether the attributes of the space and its inner spaces are unchanged; generators are ignored."""
        return list(_facts(self.space)) == self.facts


def _facts(value: Any, depth: int = 0) -> Iterable[Any]:
    """Yield comparable facts about a value: numbers, texts, the bytes of arrays, and the attributes of spaces."""
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
"""The maximum depth of nested spaces that are compared; an attribute may refer back to the space itself."""
