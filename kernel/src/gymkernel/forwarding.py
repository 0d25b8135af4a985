"""`forwarded`, which creates attributes that a wrapper reads from its environment unless set on the wrapper."""

from __future__ import annotations

from typing import Any

__all__ = ["forwarded"]

_assigned: object = object()
"""A marker that is replaced whenever a forwarded attribute is set on any wrapper, which invalidates cached lookups.

Pickles and deep copies contain a different marker, so the lookups that they have cached are not used either.
"""


def forwarded(name: str) -> Any:
    """Create a property of a wrapper that returns the wrapper's own value or the value of the wrapped environment.

    The getter caches which object provides the value, so reading through ten wrappers costs as much as reading through
    one wrapper. The value itself is read each time.

    Args:
        name: the name of the attribute; the wrapper's own value is stored in `_name`.
    """
    own, seen = f"_{name}", f"_{name}_seen"
    write = object.__setattr__  # not through __dict__, because reading __dict__ makes later attribute access slower

    def getter(self: Any) -> Any:
        marker, source, attribute = getattr(self, seen)
        if marker is not _assigned:
            source, attribute = find_source(self)
        return getattr(source, attribute)

    def find_source(self: Any) -> tuple[Any, str]:
        source, forwards = self, True  # start here, because a subclass's property may call this one with `super()`
        while forwards and getattr(source, own, None) is None:
            source = source.env
            forwards = isinstance(getattr(type(source), name, None), _Forwarded)
        attribute = own if forwards else name
        write(self, seen, (_assigned, source, attribute))
        return source, attribute

    def setter(self: Any, value: Any) -> None:
        global _assigned  # noqa: PLW0603 - one marker for all wrappers
        _assigned = object()
        write(self, own, value)

    return _Forwarded(getter, setter, doc=f"`{name}` of this wrapper if it was set, else of the wrapped environment.")


class _Forwarded(property):
    """A property created by `forwarded`, which adds an empty cache entry to the class that it is defined in."""

    def __set_name__(self, owner: type, name: str) -> None:
        setattr(owner, f"_{name}_seen", (None, None, ""))
