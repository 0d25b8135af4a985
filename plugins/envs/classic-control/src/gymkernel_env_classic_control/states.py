"""States: where episodes begin, and states that are set from outside."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["checked_state", "number_option", "reset_bounds"]

LARGEST = float(np.finfo(np.float32).max)


def reset_bounds(options: Mapping[str, Any] | None, low: float, high: float) -> tuple[float, float]:
    """The interval that a reset draws from: `options["low"]` and `options["high"]`, where they are given.

    Raises:
        ValueError: a bound is not a finite number, or they are crossed.

    >>> reset_bounds({"high": 0.2}, -0.05, 0.05)
    (-0.05, 0.2)
    """
    if not options:
        return low, high
    low, high = number_option(options, "low", low), number_option(options, "high", high)
    if low > high:
        raise ValueError(f'Expected options["low"] <= options["high"], got {low} and {high}')
    return low, high


def number_option(options: Mapping[str, Any], name: str, default: float) -> float:
    """A reset option that is a finite number."""
    value = options.get(name, default)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f'Expected options["{name}"] to be a finite number, got {value!r} ({type(value).__name__})')
    return number


def checked_state(value: Any, shape: tuple[int, ...], parts: Sequence[str]) -> NDArray[np.float64] | None:
    """A state that is set from outside, as an array of its own; None takes the state away."""
    if value is None:
        return None
    state = np.array(value, np.float64)
    if state.shape != shape or not (np.abs(state) <= LARGEST).all():
        names = ", ".join(parts)
        raise ValueError(f"Expected the state as {names}: finite float32 numbers of shape {shape}, got {value!r}")
    return state
