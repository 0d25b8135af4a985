"""What fits where: numbers in arrays of a dtype, and elements in the fixed arrays of their space, without a change."""

from __future__ import annotations

from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["casting_of", "fitted", "fitted_all", "is_kept", "scratch"]


def casting_of(dtype: np.dtype[Any]) -> Any:
    """The casts into a dtype that need no look at the values: floats may lose digits, integers lose nothing."""
    return "same_kind" if dtype.kind in "fc" else "safe"


def fitted(values: NDArray[Any], dtype: np.dtype[Any], casting: Any) -> NDArray[Any] | None:
    """An array that can be written into one of `dtype`; None where a value would not stay the same.

    Args:
        values: of any dtype.
        dtype: of the array to write into.
        casting: as `casting_of(dtype)` says.

    >>> fitted(np.array([1.0, 2.0]), np.dtype("u1"), "safe")
    array([1, 2], dtype=uint8)
    >>> fitted(np.array([1.5, 2.0]), np.dtype("u1"), "safe") is None
    True
    """
    if np.can_cast(values.dtype, dtype, casting):
        return values
    if dtype.kind in "biu" and values.dtype.kind in "biuf":
        with np.errstate(invalid="ignore"):
            converted = values.astype(dtype)
        if (converted == values).all():
            return converted
    return None


def fitted_all(values: NDArray[Any], shape: tuple[int, ...], dtype: np.dtype[Any], casting: Any) -> NDArray[Any]:
    """As `fitted`, of what NumPy made of several elements at once; a ValueError where they are to be looked at singly.

    NumPy makes floats of integers among floats, which not every integer survives.

    Args:
        values: of all elements.
        shape: that is expected of them.
        dtype: of the array to write into.
        casting: as `casting_of(dtype)` says.
    """
    if values.shape == shape:
        if np.can_cast(values.dtype, dtype, casting):
            return values
        found = None if values.dtype.kind == "f" else fitted(values, dtype, casting)
        if found is not None:
            return found
    raise ValueError(values.dtype)


def scratch(space: Any) -> list[NDArray[Any]]:
    """Arrays for one element, as the layout of the space says."""
    return [np.zeros(field.shape, field.dtype) for field in space.layout()]


def is_kept(space: Any, part: Any, arrays: list[NDArray[Any]]) -> bool:
    """Whether the layout of a space holds something that need not be in it, such as a number beyond its bounds.

    Args:
        space: with a layout.
        part: perhaps an element.
        arrays: to write it into.
    """
    space.encode(part, arrays)
    return _same(space.decode(arrays), part)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        if type(other) is not np.ndarray or one.dtype != other.dtype:
            return False
        return np.array_equal(one, other, equal_nan=one.dtype.kind in "fc")
    if isinstance(one, dict):
        return isinstance(other, dict) and one.keys() == other.keys() and all(_same(one[k], other[k]) for k in one)
    if isinstance(one, tuple | list):
        return type(one) is type(other) and len(one) == len(other) and all(map(_same, one, other))
    alike = type(one) is type(other) or (isinstance(one, Number) and isinstance(other, Number))
    return alike and bool(one == other or (one != one and other != other))  # noqa: PLR0124 - NaN
