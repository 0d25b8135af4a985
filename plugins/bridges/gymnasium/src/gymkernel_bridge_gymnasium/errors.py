"""Gymnasium's error classes create gymkernel's errors, so that `except` catches an error with either library's class.

gymkernel's error classes derive from Gymnasium's, and two classes cannot derive from each other. An instance of
gymkernel's class is an instance of both, whoever raises the error.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

__all__ = ["create_ours"]


def create_ours(pairs: dict[type, type]) -> None:
    """Have each error class of Gymnasium's create instances of gymkernel's class of the same name.

    A class of a third party that derives from Gymnasium's class derives from gymkernel's class afterwards.

    Args:
        pairs: for each class of Gymnasium's, the class of gymkernel's that derives from it.
    """
    for theirs in pairs:
        subclasses: list[type] = theirs.__subclasses__()
        for derived in subclasses:
            _replace_bases(derived, pairs)
        _add_methods(theirs, pairs)


def _replace_bases(cls: type, pairs: dict[type, type]) -> None:
    """Put gymkernel's error classes in the place of Gymnasium's among the bases of a third party's class."""
    if not cls.__module__.startswith(("gymnasium.", "gymkernel.")):
        with suppress(TypeError):  # Python cannot combine the memory layouts of some classes
            cls.__bases__ = tuple(pairs.get(base, base) for base in cls.__bases__)


def _add_methods(theirs: Any, pairs: dict[type, type]) -> None:
    """Give a class of Gymnasium's the methods that create its instances and prepare its later subclasses."""

    def create(cls: type, *args: Any, **kwargs: Any) -> Any:
        made: Any = pairs.get(cls, cls)
        return super(theirs, made).__new__(made, *args, **kwargs)

    def init_subclass(cls: type, /, **kwargs: Any) -> None:
        super(theirs, cls).__init_subclass__(**kwargs)
        _replace_bases(cls, pairs)

    theirs.__new__ = create
    theirs.__init_subclass__ = classmethod(init_subclass)
