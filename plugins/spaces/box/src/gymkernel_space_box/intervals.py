"""The `Intervals` class, which implements sampling and membership tests for Box.

All values that depend only on the bounds are computed in advance. The random numbers are the same as in Gymnasium. They
are sampled as float64, first for all values without bounds (normal distribution), then for values with a lower bound
(exponential), with an upper bound (exponential), and with both bounds (uniform). For integer dtypes, the numbers are
rounded down.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import add, multiply

from gymkernel_space_box.bounds import describe_crossed_bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Intervals"]

FLOAT64 = np.dtype(np.float64)
BLOCK = 2**15
"""The number of values to sample at a time for a large Box with equal bounds. This many values fit into the CPU
cache."""
SMALL = 12
"""The maximum size of arrays for which a Python loop is faster than NumPy operations."""


class Intervals:
    """Precomputed data for sampling between bounds and for membership tests.

    Args:
        arrays: the lower bounds, the upper bounds, a mask of the finite lower bounds, and a mask of the finite upper
            bounds. Each is a read-only array of the shape of the elements, or of shape () if all values are equal.
        shape: the shape of the elements.
        dtype: the dtype of the elements.
        constructed: whether the bounds are certain to be those with which the Box was created.

    Attributes:
        everything: the dtype if all its values are within the bounds, otherwise None.
    """

    _small: list[tuple[Any, Any]] | None  # (lower, upper) pairs, for a small Box
    _plain: tuple[Any, Any, Any] | None = None  # the width, low (unless 0) and dtype, for most Boxes

    def __init__(
        self, arrays: tuple[NDArray[Any], ...], shape: tuple[int, ...], dtype: np.dtype[Any], *, constructed: bool
    ) -> None:
        self.arrays, self.dtype, self._constructed = arrays, dtype, constructed
        whole = arrays if constructed else [np.broadcast_to(array, shape) for array in arrays]
        self.low, self.high, self._below, self._above = whole
        self._prepare_test()
        self._prepared = False

    def over(
        self, low: NDArray[Any], high: NDArray[Any], below: NDArray[np.bool_], above: NDArray[np.bool_]
    ) -> Intervals:
        """Return the precomputed data for a batched space, in which the bounds are repeated along a new first axis."""
        if not self._prepared:
            self._prepare_sample()
        intervals = object.__new__(Intervals)
        arrays = (low, high, below, above)
        intervals.__dict__.update(self.__dict__, arrays=arrays, low=low, high=high, _below=below, _above=above)
        intervals._small = None
        intervals._prepared = not self._mixed
        return intervals

    @property
    def as_constructed(self) -> bool:
        """Whether the bounds and the masks are consistent, as they are in a newly created Box."""
        if self._constructed and self.low.dtype is self.high.dtype is self.dtype:
            return True
        return self._seems_constructed

    @cached_property
    def _seems_constructed(self) -> bool:
        low, high = self.low, self.high
        if not low.dtype == high.dtype == self.dtype:
            return False
        if self._constructed:
            return True
        if self.dtype.kind != "f":
            return bool((low <= high).all())
        return bool(((low > -np.inf) == self._below).all() and ((high < np.inf) == self._above).all())

    def _prepare_test(self) -> None:
        """Decide whether a membership test compares values with arrays, compares them with numbers, or accepts all."""
        low, high = self.low, self.high
        uniform = bool(low.size) and bool((low == low.flat[0]).all()) and bool((high == high.flat[0]).all())
        self._limits: Any = (low.flat[0].item(), high.flat[0].item()) if uniform else None
        info = np.iinfo(self.dtype) if uniform and self.dtype.kind in "iu" else None
        self.everything = self.dtype if info is not None and self._limits == (info.min, info.max) else None
        self._line, self._small = low.ndim == 1, None
        if 0 < low.size <= SMALL and low.dtype.itemsize <= 8 >= high.dtype.itemsize:  # Python floats have 64 bits
            self._small = list(zip(low.ravel().tolist(), high.ravel().tolist(), strict=True))

    def contains(self, x: NDArray[Any]) -> bool:
        """Return whether an array of the right shape and dtype contains only values within the bounds (and no NaN)."""
        if self._small is not None and x.dtype is self.dtype:
            values = x.tolist() if self._line else x.ravel().tolist()
            if self._limits is None:
                return _within(values, self._small)
            low, high = self._limits
            for value in values:  # noqa: SIM110 - twice as fast as all()
                if not low <= value <= high:
                    return False
            return True
        if not x.size or x.dtype is self.everything:
            return True
        if self._limits is not None:
            return bool(self._limits[0] <= x.min() and x.max() <= self._limits[1])
        return bool(((x >= self.low) & (x <= self.high)).all())

    def _prepare_sample(self) -> None:
        """Group the values by whether each of their two bounds is finite, and convert the bounds to float64."""
        below, above, integer = self._below, self._above, self.dtype.kind != "f"
        if not (self._constructed or ((self.low <= self.high) | ~(below & above)).all()):
            raise ValueError(describe_crossed_bounds(self.low, self.high))
        low, high = self.low.astype(np.float64), self.high.astype(np.float64)
        if integer:
            # Because float64 is inexact above 2**53, 1 is added before the conversion if the sum does not overflow.
            can_add = self.high < np.iinfo(np.int64).max
            exact = (np.where(can_add, self.high, 0).astype(np.int64) + 1).astype(np.float64)
            high = np.where(can_add, exact, high + 1)
        with np.errstate(over="ignore", invalid="ignore"):
            span = high - low
        kinds = np.where(below, np.where(above, 3, 1), np.where(above, 2, 0))
        self._mixed = bool(kinds.size) and not bool((kinds == kinds.flat[0]).all())
        self._kind = int(kinds.flat[0]) if kinds.size else 3
        groups = _group_by_kind(kinds) if self._mixed else ()
        self._parts = [(kind, index, low[index], high[index], span[index]) for kind, index in groups]
        self._f_low, self._f_high, self._span = (self._scalar(array) for array in (low, high, span))
        self._from_zero = self._f_low.ndim == 0 and not self._f_low
        self._overflows = bool(np.isinf(span[kinds == 3]).any())
        self._floor = self.dtype.kind == "b" or (integer and not bool((below & (self.low >= 0)).all()))
        self._clip = integer and not (
            self._kind == 3 and not self._mixed and not low.any() and bool((high < 2**53).all())
        )
        plain = self._kind == 3 and not (self._mixed or self._overflows or self._floor or self._clip)
        wider = None if self.dtype is FLOAT64 else self.dtype
        self._plain = (self._span, None if self._from_zero else self._f_low, wider) if plain else None
        self._prepared = True

    @staticmethod
    def _scalar(array: NDArray[np.float64]) -> NDArray[np.float64]:
        """Replace an array of equal numbers with an array of shape (), because NumPy is slower with a Python float."""
        return np.array(array.flat[0]) if array.size and bool((array == array.flat[0]).all()) else array

    def sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return a random element or batch, depending on the shape."""
        if self._plain is not None and shape:
            span, low, dtype = self._plain
            if self.low.size > BLOCK and not span.ndim and not self._f_low.ndim:
                return _in_blocks(rng, shape, span, self._f_low, self.dtype)
            uniform = rng.random(shape)
            multiply(uniform, span, uniform)
            if low is not None:
                add(uniform, low, uniform)
            return uniform if dtype is None else uniform.astype(dtype)
        if not self._prepared:
            self._prepare_sample()
        if self._mixed:
            draw = self._draw_mixed(rng, shape)
        else:
            draw = self._draw(rng, shape, self._kind, self._f_low, self._f_high, self._span)
            if not shape:
                draw = np.asarray(draw)
        if self._floor:
            np.floor(draw, out=draw)
        if not self._clip:
            return draw.astype(self.dtype)
        info = np.iinfo(self.dtype) if self.dtype.kind in "iu" else None
        if info is not None:
            top = np.float64(info.max)  # for a 64-bit dtype, this is rounded up to a number outside its range
            np.clip(draw, np.float64(info.min), top if int(top) == info.max else np.nextafter(top, 0), out=draw)
        return np.asarray(np.minimum(np.maximum(draw.astype(self.dtype), self.low), self.high), self.dtype)

    def _draw(self, rng: np.random.Generator, size: Any, kind: int, low: Any, high: Any, span: Any) -> Any:
        """Return random float64 numbers for values whose finite bounds are the same (none, one or both)."""
        if kind == 3:
            draw = rng.random(size)
            if self._overflows:
                return low * (1 - draw) + high * draw
            draw *= span
            if not self._from_zero:
                draw += low
        elif kind == 0:
            draw = rng.standard_normal(size)
        else:
            draw = rng.standard_exponential(size)
            draw = draw + low if kind == 1 else high - draw
        return draw

    def _draw_mixed(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        draw = np.empty(shape)
        batch_axes = shape[: len(shape) - self.low.ndim]
        for kind, group, low, high, span in self._parts:
            index: Any = (..., *group)
            draw[index] = self._draw(rng, (*batch_axes, group[0].size), kind, low, high, span)
        return draw


def _in_blocks(rng: np.random.Generator, shape: tuple[int, ...], span: Any, low: Any, dtype: Any) -> NDArray[Any]:
    """Sample the same numbers as `sample`, but block by block. This is faster than creating a large float64 array."""
    samples = np.empty(math.prod(shape), dtype)
    block = np.empty(BLOCK)
    for start in range(0, samples.size, BLOCK):
        uniform = block[: samples.size - start]
        rng.random(out=uniform)
        multiply(uniform, span, uniform)
        if low:
            add(uniform, low, uniform)
        samples[start : start + BLOCK] = uniform
    return samples.reshape(shape)


def _within(values: list[Any], limits: list[tuple[Any, Any]]) -> bool:
    for value, (low, high) in zip(values, limits):  # noqa: B905, SIM110 - this is faster
        if not low <= value <= high:
            return False
    return True


def _group_by_kind(kinds: NDArray[Any]) -> list[tuple[int, tuple[NDArray[np.intp], ...]]]:
    """Return the kinds that occur in an array, each with the indices at which it occurs."""
    return [(kind, index) for kind in range(4) if (index := np.nonzero(kinds == kind))[0].size]
