"""The `Choices` class, which contains data derived from the attributes `nvec` and `start` of a MultiDiscrete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FEW", "Choices", "same"]

FEW = 12
"""The maximum size of arrays for which a Python loop is faster than NumPy operations."""


class Choices:
    """Precomputed data for sampling from a MultiDiscrete and for membership tests.

    Args:
        arrays: `nvec` and `start`, which must not be modified.
    """

    __slots__ = ("arrays", "factors", "limits", "nvec", "shape", "shift", "start")

    def __init__(self, arrays: tuple[NDArray[Any], NDArray[Any]]) -> None:
        self.arrays = nvec, start = arrays
        self.nvec, self.start, self.shape = nvec, start, nvec.shape
        self.shift = start if start.any() else None
        self.factors = nvec.astype(np.float64)
        firsts, counts = np.broadcast_to(start, nvec.shape).ravel().tolist(), nvec.ravel().tolist()
        self.limits = [(first, first + count) for first, count in zip(firsts, counts, strict=True)]


def same(a: Any, b: Any) -> bool:
    """Return whether two integer arrays are equal. If so, this is ten times as fast as `numpy.array_equal`."""
    a, b = np.asarray(a), np.asarray(b)
    return (a.dtype is b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()) or np.array_equal(a, b)
