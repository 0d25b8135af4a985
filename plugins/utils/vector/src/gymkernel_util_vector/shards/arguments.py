"""Functions that check the arguments of worker-based backends before any worker is started."""

from __future__ import annotations

import operator
from numbers import Real
from typing import Any, Final

__all__ = ["check_count", "check_seconds", "check_worker_arguments", "is_number"]

MOST_BUFFERS: Final = 1_000_000
"""The maximum number of observation buffers. More buffers would exhaust the memory, and only after a long time."""


def check_count(name: str, value: Any, least: int = 1, or_else: str = "") -> None:
    """Check that an argument is an integer (from Python or NumPy) and is not too small.

    Args:
        name: the name of the argument.
        value: the value of the argument.
        least: the smallest valid number.
        or_else: another valid value, such as "None", for the error message.

    Raises:
        TypeError: if the value is not an integer, or if it is a bool.
        ValueError: if the value is too small.

    >>> check_count("ring", 2.5)
    Traceback (most recent call last):
    TypeError: Expected ring to be a whole number of at least 1, got 2.5
    """
    expected = f"Expected {name} to be a whole number of at least {least}{or_else and f', or {or_else}'}"
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"{expected}, got {value!r}")
    if number < least:
        raise ValueError(f"{expected}, got {value!r}")


def check_seconds(name: str, value: Any, *, zero: bool = False) -> None:
    """Check that an argument is a number of seconds, or None for the default.

    Args:
        name: the name of the argument.
        value: the value of the argument.
        zero: whether 0 is valid, which means not to wait.

    Raises:
        TypeError: if the value is not a number, or if it is a bool.
        ValueError: if the value is negative or NaN, or if it is 0 although `zero` is False.

    >>> check_seconds("timeout", -1)
    Traceback (most recent call last):
    ValueError: Expected timeout to be a number of seconds above 0, or None, got -1
    """
    if value is None or (type(value) is float and value > 0):
        return
    expected = f"Expected {name} to be a number of seconds {'of at least' if zero else 'above'} 0, or None"
    if not is_number(value):
        raise TypeError(f"{expected}, got {value!r}")
    if not (value >= 0 if zero else value > 0):
        raise ValueError(f"{expected}, got {value!r}")


def check_worker_arguments(
    num_workers: Any, max_concurrency: Any, ring: Any, on_error: Any, max_restarts: Any, *, auto: bool = False
) -> None:
    """Check the arguments that all worker-based backends have in common.

    Args:
        num_workers: the number of workers, or None.
        max_concurrency: the maximum number of environments that are stepped at the same time, or None for no limit.
        ring: the number of observation buffers.
        on_error: "raise" or "restart".
        max_restarts: how many times each environment may be restarted, or None for no limit.
        auto: whether `num_workers` may be "auto".

    Raises:
        TypeError: if a number is not an integer.
        ValueError: if a number is too small, if `ring` is too large, or if `on_error` is unknown.

    >>> check_worker_arguments(2, None, 1, "retry", 100)
    Traceback (most recent call last):
    ValueError: Expected on_error to be 'raise' or 'restart', got 'retry'
    """
    if num_workers is not None and not (auto and isinstance(num_workers, str) and num_workers == "auto"):
        check_count("num_workers", num_workers, or_else="'auto' or None" if auto else "None")
    if max_concurrency is not None:
        check_count("max_concurrency", max_concurrency, or_else="None")
    check_count("ring", ring)
    if ring > MOST_BUFFERS:
        raise ValueError(f"Expected ring to be at most {MOST_BUFFERS:,} buffers, got {ring!r}")
    if not (isinstance(on_error, str) and on_error in {"raise", "restart"}):
        raise ValueError(f"Expected on_error to be 'raise' or 'restart', got {on_error!r}")
    if max_restarts is not None:
        check_count("max_restarts", max_restarts, 0, or_else="None")


def is_number(value: Any) -> bool:
    """Return whether a value is a real number (from Python or NumPy) and not a bool or an array with several items.

    Args:
        value: a value of any type.

    >>> [is_number(value) for value in (1, 0.5, True, "1", None)]
    [True, True, False, False, False]
    """
    if getattr(value, "ndim", None) == 0:
        value = value.item()
    return isinstance(value, Real) and not isinstance(value, bool)
