"""`Bases`: add base classes to gymkernel's classes, and remove them again if an addition fails."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

__all__ = ["Bases"]


class Bases:
    """A record of the base classes that were added, with which they can be removed again.

    A class of Gymnasium becomes the last base of its counterpart in gymkernel. Therefore, attributes are looked up in
    gymkernel first, and `isinstance` and `issubclass` are those of `type` and take no additional time.
    """

    def __init__(self) -> None:
        self._before: list[tuple[type, tuple[type, ...]]] = []

    def add(self, cls: type, new: type) -> None:
        """Add a base to a class, unless the class derives from the base already.

        The new base is added at the end, but before bases from which it derives itself, such as `Generic`.

        Args:
            cls: a class of gymkernel.
            new: a class of Gymnasium, or a mix-in.

        Raises:
            TypeError: a class derives from both classes in the opposite order, or the memory layouts differ.
        """
        if new in cls.__mro__:  # `issubclass` is not used, because abstract classes cache its answer
            return
        before = cls.__bases__
        place = next((i for i, base in enumerate(before) if i and issubclass(new, base)), len(before))
        cls.__bases__ = (*before[:place], new, *before[place:])
        self._before.append((cls, before))

    def name(self, cls: type, base: type, after: type) -> None:
        """Make an indirect base of a class a direct base.

        Programs such as skrl's `wrap_env` read `__bases__`. Nothing is changed if the method resolution order would
        change.

        Args:
            cls: a class that derives from `base` through `after`.
            base: a class of Gymnasium.
            after: the direct base of `cls` after which `base` is inserted.
        """
        before, order = cls.__bases__, cls.__mro__
        if base in before or base not in order:
            return
        place = before.index(after) + 1
        set_bases: Any = type.__setattr__  # the metaclass may have another method
        with suppress(TypeError):  # a later base also derives from `base`
            set_bases(cls, "__bases__", (*before[:place], base, *before[place:]))
            if cls.__mro__ == order:
                self._before.append((cls, before))
            else:
                set_bases(cls, "__bases__", before)

    def replace(self, cls: type, base: type) -> None:
        """Replace all bases of a class by one class.

        Args:
            cls: a class that has the same only base as its counterpart in Gymnasium, such as an enum.
            base: the counterpart in Gymnasium.
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
