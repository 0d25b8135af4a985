"""The function `forwarded`, which creates properties that read an attribute of the wrapped environment."""

from __future__ import annotations

from typing import Any

__all__ = ["forwarded"]

_assigned: object = object()
"""A marker that is stored with each cached lookup. Setting a forwarded attribute on any wrapper replaces the marker,
which invalidates all cached lookups. In pickled and deep-copied wrappers, the lookups are invalid for the same reason.
"""


def forwarded(name: str) -> Any:
    """Create a property that returns the value set on the wrapper or, by default, that of the wrapped environment.

    The property remembers which object provides the value, so that a stack of ten wrappers is as fast as a single
    wrapper. The value itself is read each time.

    Args:
        name: the name of the attribute. A value that is set on the wrapper is stored in `_name`.
    """
    own, seen = f"_{name}", f"_{name}_seen"
    write = object.__setattr__  # accessing __dict__ instead would make later attribute access slower

    def getter(self: Any) -> Any:
        marker, source, attribute = getattr(self, seen)
        if marker is not _assigned:
            source, attribute = find_source(self)
        return getattr(source, attribute)

    def find_source(self: Any) -> tuple[Any, str]:
        source, forwards = self, True  # starts with `self`, because a property of a subclass may call `super()`
        while forwards and getattr(source, own, None) is None:
            source = source.env
            forwards = isinstance(getattr(type(source), name, None), _Forwarded)
        attribute = own if forwards else name
        write(self, seen, (_assigned, source, attribute))
        return source, attribute

    def setter(self: Any, value: Any) -> None:
        global _assigned  # noqa: PLW0603 - all wrappers share the marker
        _assigned = object()
        write(self, own, value)

    # A subclass of property ignores the argument `doc` in Python 3.11 and 3.12.
    getter.__doc__ = f"`{name}` of this wrapper or, by default, of the wrapped environment."
    return _Forwarded(getter, setter)


class _Forwarded(property):
    def __set_name__(self, owner: type, name: str) -> None:
        setattr(owner, f"_{name}_seen", (None, None, ""))
