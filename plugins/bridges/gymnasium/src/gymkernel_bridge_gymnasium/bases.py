"""`Bases`: classes of gymkernel's that get further base classes, all of them or none."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

__all__ = ["Bases"]


class Bases:
    """The base classes that were added, so that they can be taken away again.

    A class of Gymnasium's becomes the last base of its counterpart here: attributes are found in gymkernel first, and
    `isinstance` and `issubclass` stay those of `type`, which cost nothing more.
    """

    def __init__(self) -> None:
        self._before: list[tuple[type, tuple[type, ...]]] = []

    def add(self, cls: type, new: type) -> None:
        """Add a base to a class, unless the class derives from that base already.

        The base becomes the last one, but comes before each base of the class from which it derives itself, such as
        `Generic`.

        Args:
            cls: a class of gymkernel's.
            new: a class of Gymnasium's, or a mix-in.

        Raises:
            TypeError: some class derives from both in the other order, or the memory layouts differ.
        """
        if new in cls.__mro__:  # not by `issubclass`, whose answer an abstract class keeps
            return
        before = cls.__bases__
        place = next((i for i, base in enumerate(before) if i and issubclass(new, base)), len(before))
        cls.__bases__ = (*before[:place], new, *before[place:])
        self._before.append((cls, before))

    def name(self, cls: type, base: type, after: type) -> None:
        """Name a base, from which a class derives already, among the direct bases of the class.

        Programs such as skrl's `wrap_env` read `__bases__`. Nothing is changed if the order of the bases would change.

        Args:
            cls: a class that derives from `base` through `after`.
            base: a class of Gymnasium's.
            after: the direct base of `cls` behind which `base` is put.
        """
        before, order = cls.__bases__, cls.__mro__
        if base in before or base not in order:
            return
        place = before.index(after) + 1
        set_bases: Any = type.__setattr__  # not the metaclass's
        with suppress(TypeError):  # a later base derives from `base`, too
            set_bases(cls, "__bases__", (*before[:place], base, *before[place:]))
            if cls.__mro__ == order:
                self._before.append((cls, before))
            else:
                set_bases(cls, "__bases__", before)

    def replace(self, cls: type, base: type) -> None:
        """Put one class in the place of all bases; for a class whose only base is that of its counterpart, too."""
        before = cls.__bases__
        cls.__bases__ = (base,)
        self._before.append((cls, before))

    def restore(self) -> None:
        """Take away everything that was added."""
        while self._before:
            cls, before = self._before.pop()
            set_bases: Any = type.__setattr__
            set_bases(cls, "__bases__", before)
