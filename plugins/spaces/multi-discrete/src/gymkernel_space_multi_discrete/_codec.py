"""How elements of a MultiDiscrete become vectors, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_space_multi_discrete._choices import FEW, Choices
from gymkernel_util_spaces.vectors import Codec, refuse_stale

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_space_multi_discrete import MultiDiscrete

__all__ = ["codec_of"]


def codec_of(space: MultiDiscrete[Any]) -> Codec:
    """One-hot vectors of the elements, one after another; of few elements, by numbers of Python's."""
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
            # As unsigned numbers, those below the start are too large.
            if index.size != counts.size or ((index := index - start).view(np.uint64) >= limits).any():
                raise _no_element(space, x)
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
                raise _not_hot(space, x[place])
            return (start + index).astype(space.dtype).reshape(choices.shape)

        return read

    return Codec(size, space.dtype, writer, reader)


def require_current(space: MultiDiscrete[Any], choices: Choices) -> None:
    """Raise a StaleCodec where `nvec` or `start` has changed since a codec was made of them."""
    if space.choices is not choices:
        refuse_stale(space)


def _write_few(space: MultiDiscrete[Any], choices: Choices, places: list[int]) -> Callable[[Any, NDArray[Any]], None]:
    rows = [(place - first, first, stop) for place, (first, stop) in zip(places, choices.limits, strict=True)]

    def write(x: Any, out: NDArray[Any]) -> None:
        if space._facts is not choices:  # noqa: SLF001 - one package
            require_current(space, choices)
        values = (x if isinstance(x, np.ndarray) else np.asarray(x)).ravel().tolist()
        if len(values) != len(rows):
            raise _no_element(space, x)
        for value, (place, first, stop) in zip(values, rows, strict=True):
            if not first <= value < stop:
                raise _no_element(space, x)
            out[place + value] = 1

    return write


def _read_few(
    space: MultiDiscrete[Any], choices: Choices, place: slice, offsets: list[int]
) -> Callable[[NDArray[Any]], NDArray[Any]]:
    rows = [(at, at + stop - first, first) for at, (first, stop) in zip(offsets, choices.limits, strict=True)]
    dtype, shape = space.dtype, choices.shape

    def read(x: NDArray[Any]) -> NDArray[Any]:
        if space._facts is not choices:  # noqa: SLF001 - one package
            require_current(space, choices)
        ones = x[place].nonzero()[0].tolist()
        if len(ones) != len(rows):
            raise _not_hot(space, x[place])
        values = []
        for one, (begin, end, first) in zip(ones, rows, strict=True):
            if not begin <= one < end:
                raise _not_hot(space, x[place])
            values.append(first + one - begin)
        made = np.array(values, dtype)
        return made if len(shape) == 1 else made.reshape(shape)

    return read


def _not_hot(space: MultiDiscrete[Any], x: Any) -> ValueError:
    return ValueError(f"Cannot unflatten {x} to {space}: expected a one-hot vector for each of its elements")


def _no_element(space: MultiDiscrete[Any], x: Any) -> ValueError:
    return ValueError(f"{x} is not an element of {space}")
