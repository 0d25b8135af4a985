"""A function that checks a state that a program assigns to the attribute `state` of an environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["check_state"]

LARGEST = float(np.finfo(np.float32).max)


def check_state(value: Any, shape: tuple[int, ...], parts: Sequence[str]) -> NDArray[np.float64] | None:
    """Check a state that a program has assigned to `state`, and return a copy as an array, or None for None."""
    if value is None:
        return None
    state = np.array(value, np.float64)
    if state.shape != shape or not (np.abs(state) <= LARGEST).all():
        names = ", ".join(parts)
        raise ValueError(f"Expected the state as {names}: finite float32 numbers of shape {shape}, got {value!r}")
    return state
