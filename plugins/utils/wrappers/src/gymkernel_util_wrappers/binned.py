"""The base class of wrappers that divide the values of a `Box` into bins."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_space_discrete import Discrete
from gymkernel_space_multi_discrete import MultiDiscrete
from gymkernel_util_wrappers.checks import require_box, require_integers

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Binned", "padded_rows"]


class Binned(RecordConstructorArgs):
    """A mix-in that divides each value of a bounded `Box` into bins of equal width.

    Attributes:
        low: the lower bounds, as a vector.
        high: the upper bounds, as a vector.
        n_dims: the number of values.
        bins: the number of bins for each value.
        multidiscrete: whether the bins are selected by one integer per value instead of a single integer.
    """

    def _divide(self, space: Any, bins: Any, multidiscrete: bool, role: str) -> tuple[list[NDArray[Any]], Any]:
        """Return the edges of the bins for each value, and the discrete space that replaces the Box."""
        wrapper = f"Discretize{role.capitalize()}"
        require_box(space, wrapper, role)
        self.low, self.high = np.ravel(space.low), np.ravel(space.high)
        if not (np.isfinite(self.low).all() and np.isfinite(self.high).all()):
            raise ValueError(f"{wrapper} expects the {role} space to have finite bounds, got {space}")
        self.n_dims, self.multidiscrete = self.low.size, bool(multidiscrete)
        message = f"{wrapper} expects bins to be one integer or {self.n_dims} integers of at least 1, got {bins!r}"
        counts = require_integers(bins, self.n_dims, 1, message)
        number = math.prod(counts)
        if not multidiscrete and number >= 2**63:
            raise ValueError(f"{number} combinations of bins do not fit into a Discrete; pass multidiscrete=True")
        recorded = counts if hasattr(bins, "__iter__") else int(bins)
        RecordConstructorArgs.__init__(self, bins=recorded, multidiscrete=self.multidiscrete)
        self.bins = np.array(counts, np.int64)
        if not multidiscrete:
            self._strides = np.array([math.prod(counts[i + 1 :]) for i in range(self.n_dims)], np.int64)
        edges = [np.linspace(low, high, n + 1) for low, high, n in zip(self.low, self.high, counts, strict=True)]
        return edges, MultiDiscrete(self.bins) if multidiscrete else Discrete(number)

    def _split(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Convert the numbers of combinations to the numbers of bins."""
        return numbers[..., None] // self._strides % self.bins


def padded_rows(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Stack arrays of different lengths as rows. Shorter rows are padded with infinity."""
    length = max(map(len, arrays), default=1)
    table = np.full((len(arrays), length), np.inf, np.result_type(np.float32, *arrays))
    for row, array in zip(table, arrays, strict=True):
        row[: len(array)] = array
    return table
