"""`forwarded`: attributes that a wrapper reads from the environment inside unless they are set on the wrapper."""

from __future__ import annotations

from typing import Any

__all__ = ["forwarded"]

_assigned: object = object()
"""Another object whenever a wrapper is given an attribute of its own: what was found before may be shadowed now.

A pickle and a deep copy hold other objects, so that what they found is not trusted either.
"""


def forwarded(name: str) -> Any:
    """A property of a wrapper: the value set on it, else that of the nearest environment inside which has its own.

    Where that is found is remembered, so that ten wrappers cost as much as one; the value is read anew each time.

    Args:
        name: of the attribute; its own value is kept in `_name`.
    """
    own, seen = f"_{name}", f"_{name}_seen"
    write = object.__setattr__  # not by __dict__: a wrapper whose dict was asked for is slower at every attribute

    def getter(self: Any) -> Any:
        mark, found, attribute = getattr(self, seen)
        if mark is not _assigned:
            found, attribute = find(self)
        return getattr(found, attribute)

    def find(self: Any) -> tuple[Any, str]:
        found, forwards = self, True  # also where a property of a subclass asks this one by `super`
        while forwards and getattr(found, own, None) is None:
            found = found.env
            forwards = isinstance(getattr(type(found), name, None), _Forwarded)
        attribute = own if forwards else name
        write(self, seen, (_assigned, found, attribute))
        return found, attribute

    def setter(self: Any, value: Any) -> None:
        global _assigned  # noqa: PLW0603 - one mark for all wrappers
        _assigned = object()
        write(self, own, value)

    return _Forwarded(getter, setter, doc=f"`{name}` of the environment inside, unless this wrapper was given its own.")


class _Forwarded(property):
    """Tells such properties from others; the class has what was seen of a wrapper that was not asked yet."""

    def __set_name__(self, owner: type, name: str) -> None:
        setattr(owner, f"_{name}_seen", (None, None, ""))
