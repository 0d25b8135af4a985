"""Functions that check whether numbers and elements can be converted to a dtype without changing their values."""

from __future__ import annotations

from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["casting_of", "fitted", "fitted_all", "is_kept", "scratch"]


def casting_of(dtype: np.dtype[Any]) -> Any:
    """Return the NumPy casting rule for conversions to a dtype. It allows rounding floats but not integers."""
    return "same_kind" if dtype.kind in "fc" else "safe"


def fitted(values: NDArray[Any], dtype: np.dtype[Any], casting: Any) -> NDArray[Any] | None:
    """Convert values if necessary so that they fit into an array of `dtype`. Return None if this would change a value.

    Args:
        values: an array of any dtype.
        dtype: the dtype of the array to write into.
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
    """Convert several elements at once, if necessary, so that they fit into an array of `dtype`.

    If the elements include both integers and floats, NumPy converts the integers to floats, which changes large
    integers. In that case, the caller must convert the elements one by one.

    Args:
        values: the array that NumPy created from all elements.
        shape: the expected shape.
        dtype: the dtype of the array to write into.
        casting: the result of `casting_of(dtype)`.

    Raises:
        ValueError: if the caller must convert the elements one by one.
    """
    if values.shape == shape:
        if np.can_cast(values.dtype, dtype, casting):
            return values
        converted = None if values.dtype.kind == "f" else fitted(values, dtype, casting)
        if converted is not None:
            return converted
    raise ValueError(values.dtype)


def scratch(space: Any) -> list[NDArray[Any]]:
    """Create the arrays in which the layout of a space stores a single element."""
    return [np.zeros(field.shape, field.dtype) for field in space.layout()]


def is_kept(space: Any, part: Any, arrays: list[NDArray[Any]]) -> bool:
    """Return whether a space's layout can store a value unchanged, even if the value is out of bounds.

    Args:
        space: a space with a layout.
        part: the value to store.
        arrays: the result of `scratch`. The arrays are overwritten.
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
    return same_type and bool(value == other or (value != value and other != other))  # noqa: PLR0124 - detects NaN
