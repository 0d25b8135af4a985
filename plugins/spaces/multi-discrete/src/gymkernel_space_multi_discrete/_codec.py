"""Data derived from a MultiDiscrete, and functions that convert its elements to one-hot vectors and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_util_spaces.vectors import Codec, refuse_stale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_space_multi_discrete import MultiDiscrete

__all__ = ["FEW", "Choices", "codec_of", "same"]


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


def codec_of(space: MultiDiscrete[Any]) -> Codec:
    """Return a codec that flattens an element to the concatenated one-hot vectors of its values."""
    choices = space.choices
    counts = choices.nvec.ravel().astype(np.int64)
    size, offsets, start = int(counts.sum()), np.cumsum(counts) - counts, choices.start.ravel().astype(np.int64)
    limits = counts.view(np.uint64)

    def writer(offset: int) -> Callable[[Any, NDArray[Any]], None]:
        places = offsets + offset
        if counts.size <= FEW:
            return _write_few(space, choices, places.tolist())

        def write(x: Any, out: NDArray[Any]) -> None:
            require_current(space, choices)
            index = np.ravel(x).astype(np.int64)
            # For a number below `start`, the offset is negative, which becomes a large number in an unsigned dtype.
            if index.size != counts.size or ((index := index - start).view(np.uint64) >= limits).any():
                raise _invalid_element(space, x)
            out[places + index] = 1

        return write

    def reader(offset: int) -> Callable[[NDArray[Any]], NDArray[Any]]:
        place = slice(offset, offset + size)
        if counts.size <= FEW:
            return _read_few(space, choices, place, offsets.tolist())

        def read(x: NDArray[Any]) -> NDArray[Any]:
            require_current(space, choices)
            (ones,) = x[place].nonzero()
            index = ones - offsets if ones.size == counts.size else np.full(counts.size, -1)
            if (index.view(np.uint64) >= limits).any():
                raise _invalid_vector(space, x[place])
            return (start + index).astype(space.dtype).reshape(choices.shape)

        return read

    return Codec(size, space.dtype, writer, reader)


def require_current(space: MultiDiscrete[Any], choices: Choices) -> None:
    """Raise StaleCodec if `nvec` or `start` has changed since the codec was created."""
    if space.choices is not choices:
        refuse_stale(space)


def _write_few(space: MultiDiscrete[Any], choices: Choices, places: list[int]) -> Callable[[Any, NDArray[Any]], None]:
    rows = [(place - first, first, stop) for place, (first, stop) in zip(places, choices.limits, strict=True)]

    def write(x: Any, out: NDArray[Any]) -> None:
        if space._facts is not choices:  # noqa: SLF001 - the class is defined in this package
            require_current(space, choices)
        values = (x if isinstance(x, np.ndarray) else np.asarray(x)).ravel().tolist()
        if len(values) != len(rows):
            raise _invalid_element(space, x)
        for value, (place, first, stop) in zip(values, rows, strict=True):
            if not first <= value < stop:
                raise _invalid_element(space, x)
            out[place + value] = 1

    return write


def _read_few(
    space: MultiDiscrete[Any], choices: Choices, place: slice, offsets: list[int]
) -> Callable[[NDArray[Any]], NDArray[Any]]:
    rows = [(begin, begin + stop - first, first) for begin, (first, stop) in zip(offsets, choices.limits, strict=True)]
    dtype, shape = space.dtype, choices.shape

    def read(x: NDArray[Any]) -> NDArray[Any]:
        if space._facts is not choices:  # noqa: SLF001 - the class is defined in this package
            require_current(space, choices)
        ones = x[place].nonzero()[0].tolist()
        if len(ones) != len(rows):
            raise _invalid_vector(space, x[place])
        values = []
        for index, (begin, end, first) in zip(ones, rows, strict=True):
            if not begin <= index < end:
                raise _invalid_vector(space, x[place])
            values.append(first + index - begin)
        element = np.array(values, dtype)
        return element if len(shape) == 1 else element.reshape(shape)

    return read


def _invalid_vector(space: MultiDiscrete[Any], x: Any) -> ValueError:
    return ValueError(f"Cannot unflatten {x} to {space}: expected a one-hot vector for each of its elements")


def _invalid_element(space: MultiDiscrete[Any], x: Any) -> ValueError:
    return ValueError(f"{x} is not an element of {space}")
