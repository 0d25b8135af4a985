"""Functions that let `except` clauses use either library's error classes, whichever library raises the error.

gymkernel's error classes derive from Gymnasium's. The reverse is not possible at the same time. Instead, Gymnasium's
classes create instances of gymkernel's classes, which are instances of both.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

__all__ = ["create_ours"]


def create_ours(pairs: dict[type, type]) -> None:
    """Make each Gymnasium error class create instances of the gymkernel class with the same name.

    Existing third-party classes that derive from a Gymnasium class are changed to derive from the gymkernel class.

    Args:
        pairs: maps each Gymnasium class to the gymkernel class that derives from it.
    """
    for theirs in pairs:
        subclasses: list[type] = theirs.__subclasses__()
        for derived in subclasses:
            _replace_bases(derived, pairs)
        _add_methods(theirs, pairs)


def _replace_bases(cls: type, pairs: dict[type, type]) -> None:
    """Replace Gymnasium's error classes with gymkernel's in the bases of a third-party class."""
    if not cls.__module__.startswith(("gymnasium.", "gymkernel.")):
        with suppress(TypeError):  # Python cannot combine the memory layouts of some classes
            cls.__bases__ = tuple(pairs.get(base, base) for base in cls.__bases__)


def _add_methods(theirs: Any, pairs: dict[type, type]) -> None:
    """Add the methods that control how a Gymnasium class is instantiated and subclassed."""

    def create(cls: type, *args: Any, **kwargs: Any) -> Any:
        ours: Any = pairs.get(cls, cls)
        return super(theirs, ours).__new__(ours, *args, **kwargs)

    def init_subclass(cls: type, /, **kwargs: Any) -> None:
        super(theirs, cls).__init_subclass__(**kwargs)
        _replace_bases(cls, pairs)

    theirs.__new__ = create
    theirs.__init_subclass__ = classmethod(init_subclass)
