"""The `Bases` class, which adds Gymnasium's classes as bases of gymkernel's classes, and a function for subclasses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

__all__ = ["Bases", "subclasses"]


class Bases:
    """A reversible set of changes to the base classes of classes. Call `restore` to undo the changes.

    Each Gymnasium class becomes the last base of its counterpart in gymkernel. Therefore, attributes are looked up in
    gymkernel first, and `isinstance` and `issubclass` work as usual, at no extra cost.
    """

    def __init__(self) -> None:
        self._before: list[tuple[type, tuple[type, ...]]] = []

    def add(self, cls: type, new: type) -> None:
        """Add a base to a class, unless the class already derives from that base.

        The new base is added after the existing ones, but before any bases from which it is derived, such as `Generic`.

        Args:
            cls: the gymkernel class to change.
            new: the Gymnasium class or mix-in to add as a base.

        Raises:
            TypeError: if a class derives from both classes in the opposite order, or if their memory layouts are
                incompatible.
        """
        if new in cls.__mro__:  # `issubclass` is not used, because abstract classes cache its result
            return
        before = cls.__bases__
        place = next((i for i, base in enumerate(before) if i and issubclass(new, base)), len(before))
        cls.__bases__ = (*before[:place], new, *before[place:])
        self._before.append((cls, before))

    def name(self, cls: type, base: type, after: type) -> None:
        """Turn an indirect base of a class into a direct base, for code that reads `__bases__`, such as skrl.

        Nothing is changed if this would affect the method resolution order.

        Args:
            cls: a class that derives from `base` through `after`.
            base: the Gymnasium class to list as a direct base.
            after: the direct base of `cls` after which `base` is inserted.
        """
        before, order = cls.__bases__, cls.__mro__
        if base in before or base not in order:
            return
        place = before.index(after) + 1
        set_bases: Any = type.__setattr__  # the metaclass may override `__setattr__`
        # A TypeError means that a later base also derives from `base`.
        with suppress(TypeError):
            set_bases(cls, "__bases__", (*before[:place], base, *before[place:]))
            if cls.__mro__ == order:
                self._before.append((cls, before))
            else:
                set_bases(cls, "__bases__", before)

    def replace(self, cls: type, base: type) -> None:
        """Replace all bases of a class with a single class.

        Args:
            cls: a class, such as an enum, whose only base is also the only base of its counterpart in Gymnasium.
            base: the counterpart of `cls` in Gymnasium, which becomes the only base.
        """
        before = cls.__bases__
        cls.__bases__ = (base,)
        self._before.append((cls, before))

    def restore(self) -> None:
        """Restore the original bases of all classes."""
        while self._before:
            cls, before = self._before.pop()
            set_bases: Any = type.__setattr__
            set_bases(cls, "__bases__", before)


def subclasses(cls: type) -> Iterator[type]:
    """Yield all direct and indirect subclasses of a class, parents first.

    Args:
        cls: any class.
    """
    direct: list[type] = cls.__subclasses__()
    for sub in direct:
        yield sub
        yield from subclasses(sub)
