"""What follows from the counts and starts of a MultiDiscrete, worked out once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FEW", "Choices", "same"]

FEW = 12
"""Elements up to which a Python loop over numbers is faster than array operations."""


class Choices:
    """The counts as float64, by which uniform numbers are multiplied, and the limits of the elements.

    `nvec` and `start` are the arrays that it belongs to, `counts` and `starts` their bytes at that time: the arrays of
    a space may be written to.
    """

    __slots__ = ("counts", "factors", "limits", "nvec", "start", "starts")

    def __init__(self, nvec: NDArray[Any], start: NDArray[Any]) -> None:
        self.nvec, self.start = nvec, start
        self.counts, self.starts = nvec.tobytes(), start.tobytes()
        self.factors = nvec.astype(np.float64)
        firsts, counts = start.ravel().tolist(), nvec.ravel().tolist()
        self.limits = [(first, first + count) for first, count in zip(firsts, counts, strict=True)]

    def is_old(self) -> bool:
        """Whether the arrays were written to since."""
        return self.counts != self.nvec.tobytes() or self.starts != self.start.tobytes()


def same(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """`numpy.array_equal` of integers, in a tenth of the time where they are of one dtype and equal."""
    return (a.dtype is b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()) or np.array_equal(a, b)
