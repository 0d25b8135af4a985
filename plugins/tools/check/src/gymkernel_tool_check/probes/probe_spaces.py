"""Spaces for testing wrappers and vector backends when no plugin that provides spaces is installed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from gymkernel.space import Field, Space

__all__ = ["ProbeBox", "ProbeDiscrete"]


class ProbeBox(Space[Any]):
    """A space of arrays with a given shape, dtype and bounds."""

    def __init__(self, low: float, high: float, shape: tuple[int, ...] = (2,), dtype: Any = np.float32) -> None:
        super().__init__(shape, dtype)
        self.low, self.high = np.full(shape, low, dtype), np.full(shape, high, dtype)

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return a uniform sample. Elements without bounds are sampled between -9 and 9."""
        low, high = np.maximum(self.low, -9), np.minimum(self.high, 9)
        return np.asarray(self.np_random.uniform(low, high), self.dtype)

    def contains(self, x: Any) -> bool:
        """Return whether `x` has the right shape and dtype and lies within the bounds."""
        if not isinstance(x, np.ndarray | np.generic | float | int):
            return False
        x = np.asarray(x, None if isinstance(x, np.ndarray | np.generic) else self.dtype)
        fits = x.shape == self.low.shape and np.can_cast(x.dtype, self.low.dtype)
        return bool(fits) and bool(((x >= self.low) & (x <= self.high)).all())

    def layout(self) -> Any:
        """Return the array layout of an element."""
        return (Field.of(self.low.dtype, self.low.shape),)

    def examples(self) -> Iterator[Any]:
        """Yield the lower bound and the upper bound."""
        yield from (self.low.copy(), self.high.copy())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProbeBox):
            return NotImplemented
        return (
            self.dtype == other.dtype and np.array_equal(self.low, other.low) and np.array_equal(self.high, other.high)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Interval({self.low.min()}, {self.high.max()}, {self.low.shape}, {self.low.dtype})"


class ProbeDiscrete(Space[Any]):
    """A space of the integers from 0 to n - 1."""

    def __init__(self, n: int) -> None:
        super().__init__((), np.int64)
        self.n = n

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """Return a random integer that the mask allows."""
        return self.np_random.choice(np.arange(self.n) if mask is None else np.flatnonzero(mask))

    def contains(self, x: Any) -> bool:
        """Return whether `x` is an integer from 0 to n - 1."""
        return isinstance(x, int | np.integer) and 0 <= int(x) < self.n

    def layout(self) -> Any:
        """Return the array layout of an element: a single integer."""
        return (Field.of(np.int64, ()),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProbeDiscrete):
            return NotImplemented
        return self.n == other.n

    def __hash__(self) -> int:
        return hash((ProbeDiscrete, self.n))

    def __repr__(self) -> str:
        return f"Choice({self.n})"
