"""Gymnasium's error classes create gymkernel's errors, so that `except` catches an error with either library's class.

gymkernel's error classes derive from Gymnasium's, and two classes cannot derive from each other. An instance of
gymkernel's class is an instance of both, whoever raises the error.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

__all__ = ["create_ours"]


def create_ours(pairs: dict[type, type]) -> None:
    """Make each error class of Gymnasium create instances of gymkernel's class of the same name.

    A third-party class that derives from Gymnasium's class derives from gymkernel's class afterwards.

    Args:
        pairs: for each class of Gymnasium, the class of gymkernel that derives from it.
    """
    for theirs in pairs:
        subclasses: list[type] = theirs.__subclasses__()
        for derived in subclasses:
            _replace_bases(derived, pairs)
        _add_methods(theirs, pairs)


def _replace_bases(cls: type, pairs: dict[type, type]) -> None:
    """Replace Gymnasium's error classes among the bases of a third-party class by gymkernel's classes."""
    if not cls.__module__.startswith(("gymnasium.", "gymkernel.")):
        with suppress(TypeError):  # Python cannot combine the memory layouts of some classes
            cls.__bases__ = tuple(pairs.get(base, base) for base in cls.__bases__)


def _add_methods(theirs: Any, pairs: dict[type, type]) -> None:
    """Add methods to a class of Gymnasium that create its instances and prepare its later subclasses."""

    def create(cls: type, *args: Any, **kwargs: Any) -> Any:
        ours: Any = pairs.get(cls, cls)
        return super(theirs, ours).__new__(ours, *args, **kwargs)

    def init_subclass(cls: type, /, **kwargs: Any) -> None:
        super(theirs, cls).__init_subclass__(**kwargs)
        _replace_bases(cls, pairs)

    theirs.__new__ = create
    theirs.__init_subclass__ = classmethod(init_subclass)
