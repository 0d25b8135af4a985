"""Functions that convert the bounds of a Box from arguments and descriptions to arrays, and back to descriptions."""

from __future__ import annotations

from functools import cache
from math import isinf
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import logger

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bound", "bound_from_spec", "bound_to_numbers", "describe_crossed_bounds", "repeat_view", "shape_of"]
__all__ += ["without_repetitions"]

INFINITIES = {"inf": np.inf, "-inf": -np.inf}
_NUMBERS = (int, float, np.integer, np.floating, np.ndarray)


def shape_of(low: Any, high: Any, shape: Any) -> tuple[int, ...]:
    """Return the given shape or, if it is None, the shape of the bounds."""
    if shape is not None:
        try:
            lengths = tuple(map(index, shape))
        except TypeError:
            raise TypeError(f"Box expects shape to be a sequence of integers, got {shape!r}") from None
        if min(lengths, default=0) < 0:
            raise ValueError(f"Box expects shape to contain no negative lengths, got {shape}")
        return lengths
    shapes = [limit.shape for limit in (low, high) if isinstance(limit, np.ndarray)]
    if len(shapes) == 2 and shapes[0] != shapes[1]:
        raise ValueError(f"Box expects low and high to have the same shape, got {shapes[0]} and {shapes[1]}")
    return shapes[0] if shapes else (1,)


def bound(
    name: str, value: Any, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Convert a bound to a new array. Return the array and a mask of its finite values."""
    if _fits(value, dtype):  # most bounds are finite numbers
        result, limited = np.empty(shape, dtype), np.empty(shape, np.bool_)
        result.fill(value)
        limited.fill(True)
        return result, limited
    below = name == "low"
    if (
        isinstance(value, bool)
        or not isinstance(value, _NUMBERS)
        or (isinstance(value, np.ndarray) and value.dtype.kind not in "iufb")
    ):
        message = f"Box expects {name} to be a number or a numeric array, got {value!r} ({type(value).__name__})"
        raise ValueError(message)
    array = np.asarray(value)
    if isinstance(value, np.ndarray) and array.shape != shape:
        raise ValueError(f"Box expects {name} to have shape {shape}, got an array of shape {array.shape}")
    if array.dtype.kind == "f":
        if array.dtype != dtype and np.isnan(array).any():  # otherwise, NaN is found later
            raise ValueError(f"Box expects {name} to contain no NaN, got {value}")
        infinite = array == (-np.inf if below else np.inf)
    else:
        infinite = np.zeros(array.shape, np.bool_)
    if dtype.kind in "ub" and infinite.any():
        raise ValueError(f"Box of {dtype} expects {name} to be finite (the dtype has no infinity), got {value}")
    if array.dtype != dtype:
        array = _convert(name, value, array, infinite, dtype)
    result = np.empty(shape, dtype)
    result[...] = array
    limited = np.empty(shape, np.bool_)
    np.logical_not(infinite, out=limited)
    return result, limited


def _fits(value: Any, dtype: np.dtype[Any]) -> bool:
    """Return whether a value is an `int` or a `float` that can be assigned to an array as it is."""
    kind = value.__class__
    if not ((kind is int and dtype.kind in "iuf") or (kind is float and dtype.kind == "f")):
        return False
    lowest, highest = _limits(dtype)
    try:
        return bool(lowest <= value <= highest) and not isinf(value)  # the limits of a longdouble include infinity
    except OverflowError:  # an int is too large for a comparison with a floating-point number
        return False


def _convert(
    name: str, value: Any, array: NDArray[Any], infinite: NDArray[np.bool_], dtype: np.dtype[Any]
) -> NDArray[Any]:
    """Convert a bound to the dtype of the space. For signed integers, the limits of the dtype represent infinities."""
    lowest, highest = _limits(dtype)
    if _is_outside(array, lowest, highest, infinite, dtype):
        raise ValueError(f"Box expects {name} to be within the range of {dtype}, {lowest} to {highest}, got {value}")
    if isinstance(value, np.ndarray) and array.dtype.kind == dtype.kind == "f" and array.itemsize > dtype.itemsize:
        logger.warn(f"The precision of {name} is reduced from {array.dtype} to {dtype}", stacklevel=4)
    if dtype.kind == "i" and infinite.any():
        filled = np.where(infinite, 0, array).astype(dtype)
        return np.where(infinite, lowest if name == "low" else highest, filled)
    return array.astype(np.bool_) if dtype.kind == "b" else array


def repeat_view(array: NDArray[Any], n: int) -> NDArray[Any]:
    """Return a view that repeats an array n times along a new first axis.

    This function is four times as fast as `numpy.broadcast_to`.

    >>> repeat_view(np.arange(2), 3).tolist()
    [[0, 1], [0, 1], [0, 1]]
    """
    if not (array.size and array.flags.c_contiguous):
        return np.broadcast_to(array, (n, *array.shape))
    view: NDArray[Any] = np.ndarray((n, *array.shape), array.dtype, array, 0, (0, *array.strides))
    view.setflags(write=False)
    return view


def without_repetitions(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view of a broadcast array in which each repeated axis has length 1.

    >>> without_repetitions(np.broadcast_to(np.arange(2), (1000, 2)))
    array([[0, 1]])
    """
    if 0 not in array.strides:
        return array
    return array[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides)]


def describe_crossed_bounds(low: NDArray[Any], high: NDArray[Any]) -> str:
    """Return the error message for bounds that contain NaN or in which a lower bound exceeds the upper bound."""
    for name, array in (("low", low), ("high", high)):
        if array.dtype.kind == "f" and np.isnan(array).any():
            return f"Box expects {name} to contain no NaN, got {array}"
    where = tuple(np.argwhere(low > high)[0].tolist())
    at = f" at index {where}" if where else ""
    return f"Box expects low <= high, got low={low[where]} > high={high[where]}{at}"


@cache
def _limits(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    if dtype.kind == "b":
        return 0, 1
    if dtype.kind == "f":
        # In a comparison, NumPy would cast a Python float to the dtype of the array.
        return np.float64(np.finfo(dtype).min), np.float64(np.finfo(dtype).max)
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


def _is_outside(
    array: NDArray[Any], lowest: Any, highest: Any, infinite: NDArray[np.bool_], dtype: np.dtype[Any]
) -> bool:
    """Return whether a number is outside the range of a dtype. For floating-point dtypes, infinities are allowed."""
    beyond = (array < lowest) | (array > highest)
    return bool((beyond & ~(np.isinf(array) if dtype.kind == "f" and array.dtype.kind == "f" else infinite)).any())


def bound_to_numbers(bound: NDArray[Any], limited: NDArray[np.bool_], endless: str) -> Any:
    """Convert a bound to nested lists, or to a single number if all values are equal.

    Args:
        bound: the bound as an array.
        limited: a mask of the finite values in the bound.
        endless: the string that represents infinite values, "inf" or "-inf".
    """
    values = (bound.astype(np.uint8) if bound.dtype.kind == "b" else bound).astype(object)
    values[~limited] = endless
    return values.flat[0] if values.size and bool((values == values.flat[0]).all()) else values.tolist()


def bound_from_spec(value: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Convert a bound in a space's description to an array. Return the array and a mask of its finite values.

    For an integer dtype, infinities are replaced with the limits of the dtype.

    Args:
        value: a number, "inf", "-inf", or nested lists of these.
        shape: the shape of the elements.
        dtype: a floating-point, integer or bool dtype.

    Raises:
        ValueError: if the bound has the wrong shape or type, or is outside the range of the dtype.
    """
    values = np.array(value, object)
    if isinstance(value, list) and values.shape != shape[: values.ndim]:  # [] has too few axes
        raise ValueError(f"expected a bound of shape {shape}, got shape {values.shape}")
    limited = np.ones(values.shape, np.bool_)
    extremes = {"-inf": np.iinfo(dtype).min, "inf": np.iinfo(dtype).max} if dtype.kind == "i" else INFINITIES
    kinds = {int, float} if dtype.kind == "f" else {int}
    for i, number in enumerate(values.flat):
        if isinstance(number, str) and number in INFINITIES and dtype.kind in "if":
            values.flat[i], limited.flat[i] = extremes[number], False
        elif type(number) not in kinds:
            expected = {"f": "numbers", "i": "integers"}.get(dtype.kind, "finite integers")
            raise ValueError(f"expected the bound of a {dtype} Box to contain {expected}, got {type(number).__name__}")
    with np.errstate(over="ignore"):
        array = values.astype(dtype)
    if not np.array_equal(np.isfinite(array), limited) and dtype.kind == "f":
        raise ValueError(f"expected the bound to be within the range of {dtype}")
    if values.size or not isinstance(value, list):
        return np.broadcast_to(array, shape), np.broadcast_to(limited, shape)
    return np.empty(shape, dtype), np.ones(shape, np.bool_)
