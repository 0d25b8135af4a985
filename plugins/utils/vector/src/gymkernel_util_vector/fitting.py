"""Check whether numbers can be converted to a dtype, or elements stored in arrays, without changing their values."""

from __future__ import annotations

from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["casting_of", "fitted", "fitted_all", "is_kept", "scratch"]


def casting_of(dtype: np.dtype[Any]) -> Any:
    """Return the kind of casts to a dtype that need no check of values: floats may be rounded, integers may not."""
    return "same_kind" if dtype.kind in "fc" else "safe"


def fitted(values: NDArray[Any], dtype: np.dtype[Any], casting: Any) -> NDArray[Any] | None:
    """Return an array that can be written into an array of `dtype`, or None if a value would change.

    Args:
        values: an array of any dtype.
        dtype: the dtype of the target.
        casting: the result of `casting_of(dtype)`.

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
    """Return an array of several elements that can be written into an array of `dtype`.

    If elements include both integers and floats, NumPy converts the integers to floats, which changes large integers.
    In this case, the caller has to convert the elements one by one.

    Args:
        values: the array that NumPy created from all elements.
        shape: the expected shape.
        dtype: the dtype of the target.
        casting: the result of `casting_of(dtype)`.

    Raises:
        ValueError: if the elements have to be converted one by one.
    """
    if values.shape == shape:
        if np.can_cast(values.dtype, dtype, casting):
            return values
        converted = None if values.dtype.kind == "f" else fitted(values, dtype, casting)
        if converted is not None:
            return converted
    raise ValueError(values.dtype)


def scratch(space: Any) -> list[NDArray[Any]]:
    """Return new arrays for one element, according to the layout of the space."""
    return [np.zeros(field.shape, field.dtype) for field in space.layout()]


def is_kept(space: Any, part: Any, arrays: list[NDArray[Any]]) -> bool:
    """Return whether the arrays of a space keep a value unchanged, even if it is outside the bounds of the space.

    Args:
        space: a space with a layout.
        part: the value.
        arrays: arrays for one element, which are overwritten.
    """
    space.encode(part, arrays)
    return _same(space.decode(arrays), part)


def _same(value: Any, other: Any) -> bool:
    if isinstance(value, np.ndarray):
        if type(other) is not np.ndarray or value.dtype != other.dtype:
            return False
        return np.array_equal(value, other, equal_nan=value.dtype.kind in "fc")
    if isinstance(value, dict):
        same_keys = isinstance(other, dict) and value.keys() == other.keys()
        return same_keys and all(_same(value[key], other[key]) for key in value)
    if isinstance(value, tuple | list):
        return type(value) is type(other) and len(value) == len(other) and all(map(_same, value, other))
    same_type = type(value) is type(other) or (isinstance(value, Number) and isinstance(other, Number))
    return same_type and bool(value == other or (value != value and other != other))  # noqa: PLR0124 - NaN
