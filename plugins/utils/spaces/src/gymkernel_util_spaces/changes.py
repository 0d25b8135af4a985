"""What a plan depends on: the spaces inside of a space, and the parts that report no change.

A space of ours reports a change of an attribute, and the dict of a `Dict` reports a change of a key. A list or a plain
dict that a program has set as `spaces`, and a space of another library, report nothing: a plan compares them with what
they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

import numpy as np

from gymkernel.space import Space

__all__ = ["Silent", "silent_parts", "spaces_inside"]


class Silent(Protocol):
    """A part that reports no change."""

    def is_unchanged(self) -> bool:
        """Whether it is as it was."""


def spaces_inside(space: Any, *, also_attributes: bool) -> list[Any]:
    """Return the spaces that a space has as parts or as attributes; of a space of another library none.

    Args:
        space: a space of any library.
        also_attributes: whether to look at attributes, which slows down each later access to them.
    """
    if not isinstance(space, Space):
        return []
    parts = [part for _, part in space.parts()]
    if not also_attributes:
        return parts
    return parts + [value for value in vars(space).values() if isinstance(value, Space)]


def silent_parts(space: Any) -> list[Silent]:
    """Return what of a space reports no change; its parts have that of their own.

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
        self.container, self.kept = container, _content(container)

    def is_unchanged(self) -> bool:
        """Whether it holds the same spaces, under the same keys in the same order."""
        now = _content(self.container)
        return len(now) == len(self.kept) and all(map(_are_identical, now, self.kept))


def _content(container: Any) -> list[Any]:
    if isinstance(container, Mapping):
        return [one for item in container.items() for one in item]
    return list(container)


def _are_identical(a: Any, b: Any) -> bool:
    return a is b or (isinstance(a, str) and a == b)


class _Foreign:
    """A space of another library."""

    def __init__(self, space: Any) -> None:
        self.space, self.kept = space, list(_facts(space))

    def is_unchanged(self) -> bool:
        """Whether its attributes, and those of the spaces inside, are what they were; generators do not count."""
        return list(_facts(self.space)) == self.kept


def _facts(value: Any, depth: int = 0) -> Iterable[Any]:
    """Yield what can be compared of a value: numbers and texts themselves, bytes of arrays, what objects consist of."""
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
"""Levels of spaces inside of one another that are looked at; an attribute may lead back to the space itself."""
