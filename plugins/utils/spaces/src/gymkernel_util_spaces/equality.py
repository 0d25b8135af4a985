"""What `==` of a space returns for an object that is not a space of the same class."""

from __future__ import annotations

__all__ = ["compare_foreign"]


def compare_foreign(other: object) -> bool:
    """Return NotImplemented, so that the `__eq__` of the other object decides; `==` is False where it does not either.

    Arrays, numbers of NumPy and tables are the exception: a space differs from them, although their `__eq__` would
    compare the space with each of their elements, and return an array.

    Args:
        other: that is compared with a space, and is of another class.

    >>> compare_foreign("a text")
    NotImplemented
    """
    return False if hasattr(type(other), "__array__") else NotImplemented
