"""Functions that check the options of `reset` and the states that programs assign to the attribute `state`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, SupportsFloat

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["check_state", "maybe_parse_reset_bounds", "number_option", "verify_number_and_cast"]

LARGEST = float(np.finfo(np.float32).max)


def verify_number_and_cast(x: SupportsFloat) -> float:
    """Convert a number to a float.

    Args:
        x: a number, or a string that contains a number.

    Raises:
        ValueError: if `x` is not a finite number.

    >>> verify_number_and_cast("0.5")
    0.5
    """
    try:
        number = float(x)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"Expected a finite number, got {x!r} ({type(x).__name__})")
    return number


def number_option(options: Mapping[str, Any], name: str, default: float) -> float:
    """Return an option of `reset` after checking that it is a finite number.

    Args:
        options: the options of `reset`.
        name: the key of the option.
        default: the number to return if the key is missing.

    Raises:
        ValueError: if the option is not a finite number.
    """
    value = options.get(name, default)
    try:
        return verify_number_and_cast(value)
    except ValueError:
        received = f"{value!r} ({type(value).__name__})"
        raise ValueError(f'Expected options["{name}"] to be a finite number, got {received}') from None


def maybe_parse_reset_bounds(
    options: Mapping[str, Any] | None, default_low: float, default_high: float
) -> tuple[float, float]:
    """Return the bounds of the initial state: `options["low"]` and `options["high"]`, or the default bounds.

    Args:
        options: the options of `reset`.
        default_low: the lower bound if `options` does not contain "low".
        default_high: the upper bound if `options` does not contain "high".

    Raises:
        ValueError: if a bound is not a finite number, or if the lower bound is greater than the upper bound.

    >>> maybe_parse_reset_bounds({"high": 0.2}, -0.05, 0.05)
    (-0.05, 0.2)
    """
    if not options:
        return default_low, default_high
    low, high = number_option(options, "low", default_low), number_option(options, "high", default_high)
    if low > high:
        raise ValueError(f'Expected options["low"] <= options["high"], got {low} and {high}')
    return low, high


def check_state(value: Any, shape: tuple[int, ...], parts: Sequence[str]) -> NDArray[np.float64] | None:
    """Check a state that a program has assigned to `state`, and return a copy as an array, or None for None.

    Args:
        value: the state.
        shape: the expected shape of the state.
        parts: the names of the components, which the error message contains.

    Raises:
        ValueError: if the state has another shape or contains a number that is not a finite float32 number.
    """
    if value is None:
        return None
    state = np.array(value, np.float64)
    if state.shape != shape or not (np.abs(state) <= LARGEST).all():
        names = ", ".join(parts)
        raise ValueError(f"Expected the state as {names}: finite float32 numbers of shape {shape}, got {value!r}")
    return state
