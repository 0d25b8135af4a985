"""Functions that check integer arguments of wrappers."""

from __future__ import annotations

import operator
from typing import Any

__all__ = ["require_integer", "require_integers"]


def require_integer(value: Any, expected: str, least: int) -> int:
    """Return an argument as an int.

    Args:
        value: the argument.
        expected: the first words of the error message, such as "RepeatAction expects num_repeats".
        least: the smallest valid value.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{expected} to be an integer, got {value!r}")
    if value < least:
        raise ValueError(f"{expected} to be at least {least}, got {value}")
    return int(value)


def require_integers(values: Any, number: int | None, least: int, message: str) -> tuple[int, ...]:
    """Return an argument that consists of several integers. A single integer is repeated.

    Args:
        values: the argument.
        number: the expected number of integers, or None if any number is valid.
        least: the smallest valid integer.
        message: the message of the error that is raised if the argument is invalid.
    """
    length = 1 if number is None else number
    try:
        integers = tuple(map(operator.index, values if hasattr(values, "__iter__") else [values] * length))
    except TypeError:
        raise TypeError(message) from None
    if number not in {None, len(integers)} or min(integers, default=least) < least:
        raise ValueError(message)
    return integers
