"""`compare_foreign`: decide how a space compares with an object of another class."""

from __future__ import annotations

__all__ = ["compare_foreign"]


def compare_foreign(other: object) -> bool:
    """Return what a space's `__eq__` should return for an object of another class.

    In general, the result is NotImplemented, so that the other object's `__eq__` decides. For arrays, NumPy numbers and
    tables, the result is False, because their `__eq__` would compare the space with each element and return an array.

    Args:
        other: the object of another class that is compared with a space.

    >>> compare_foreign("a text")
    NotImplemented
    """
    return False if hasattr(type(other), "__array__") else NotImplemented
