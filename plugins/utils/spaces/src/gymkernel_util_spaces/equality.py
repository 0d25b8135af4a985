"""The function `compare_foreign`, which compares a space with an object of another class."""

from __future__ import annotations

__all__ = ["compare_foreign"]


def compare_foreign(other: object) -> bool:
    """Return the result of a space's `__eq__` for an object of another class.

    The result is usually NotImplemented, so that Python calls the other object's `__eq__`. For arrays, NumPy numbers
    and tables, the result is False, because their `__eq__` would compare the space with each element and return an
    array.

    Args:
        other: the object that is compared with a space.

    >>> compare_foreign("a text")
    NotImplemented
    """
    return False if hasattr(type(other), "__array__") else NotImplemented
