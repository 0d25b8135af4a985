"""What backends with workers refuse before they start any: numbers, times and choices that cannot be meant."""

from __future__ import annotations

import operator
from numbers import Real
from typing import Any, Final

__all__ = ["check_count", "check_seconds", "check_worker_arguments", "is_number"]

MOST_BUFFERS: Final = 1_000_000
"""Of a ring; there is no memory for more, and laying them out would take forever before that is seen."""


def check_count(name: str, value: Any, least: int = 1, or_else: str = "") -> None:
    """Refuse what is no whole number, or too small; NumPy's integers are as good as Python's.

    Args:
        name: of the argument.
        value: of it.
        least: the smallest one that can be meant.
        or_else: what else the caller takes, for the message.

    Raises:
        TypeError: no whole number, or a bool.
        ValueError: too small.

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
    """Refuse what is no time; None stands for a default.

    Args:
        name: of the argument.
        value: of it.
        zero: whether 0 can be meant: to look once, and not to wait.

    Raises:
        TypeError: no number, or a bool.
        ValueError: below 0, 0 where that cannot be meant, or not a number.

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
    """Refuse what cannot be meant by the arguments that all backends with workers have.

    Args:
        num_workers: number of workers, or None.
        max_concurrency: at most so many environments step at a time; or None.
        ring: number of buffers for observations.
        on_error: "raise" or "restart".
        max_restarts: how often an environment is made anew; None for no limit.
        auto: whether "auto" is a number of workers.

    Raises:
        TypeError: no whole number.
        ValueError: too small, more buffers than anybody has memory for, or an `on_error` that there is not.

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
    """Whether a value is one real number, of Python or NumPy; no bool, and no array of several.

    Args:
        value: of any type.

    >>> [is_number(value) for value in (1, 0.5, True, "1", None)]
    [True, True, False, False, False]
    """
    if getattr(value, "ndim", None) == 0:
        value = value.item()
    return isinstance(value, Real) and not isinstance(value, bool)
