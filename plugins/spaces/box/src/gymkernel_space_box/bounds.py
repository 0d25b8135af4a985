"""Bounds of a Box: from what a user gives to an array of the space's shape and dtype."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import logger

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bound", "crossed", "once", "repeated", "shape_of"]

_NUMBERS = (int, float, np.integer, np.floating, np.ndarray)


def shape_of(low: Any, high: Any, shape: Any) -> tuple[int, ...]:
    """The shape that was given, or that of the bounds, which must agree."""
    if shape is not None:
        try:
            lengths = tuple(map(index, shape))
        except TypeError:
            raise TypeError(f"Box expects shape to be a sequence of integers, got {shape!r}") from None
        if min(lengths, default=0) < 0:
            raise ValueError(f"Box expects a shape without negative lengths, got {shape}")
        return lengths
    shapes = [limit.shape for limit in (low, high) if isinstance(limit, np.ndarray)]
    if len(shapes) == 2 and shapes[0] != shapes[1]:
        raise ValueError(f"Box expects low and high of one shape, got {shapes[0]} and {shapes[1]}")
    return shapes[0] if shapes else (1,)


def bound(
    name: str, value: Any, shape: tuple[int, ...], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """One bound as an array of its own, and a mask of where it limits anything."""
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
        raise ValueError(f"Box expects {name} of the shape {shape}, got an array of {array.shape}")
    if array.dtype.kind == "f":
        if array.dtype != dtype and np.isnan(array).any():  # of the same dtype, the comparison of the bounds finds it
            raise ValueError(f"Box expects {name} without NaN, got {value}")
        endless = array == (-np.inf if below else np.inf)
    else:
        endless = np.zeros(array.shape, np.bool_)
    if dtype.kind in "ub" and endless.any():
        raise ValueError(f"Box of {dtype} expects a finite {name} (unsigned numbers have no infinity), got {value}")
    if array.dtype != dtype:
        array = _converted(name, value, array, endless, dtype)
    result = np.empty(shape, dtype)
    result[...] = array
    limited = np.empty(shape, np.bool_)
    np.logical_not(endless, out=limited)
    return result, limited


def _converted(
    name: str, value: Any, array: NDArray[Any], endless: NDArray[np.bool_], dtype: np.dtype[Any]
) -> NDArray[Any]:
    """A bound of another dtype, within the range of the space's; infinities of signed integers become its ends."""
    lowest, highest = _limits(dtype)
    if _outside(array, lowest, highest, endless, dtype):
        raise ValueError(f"Box expects {name} within the range of {dtype}, {lowest} to {highest}, got {value}")
    if isinstance(value, np.ndarray) and array.dtype.kind == dtype.kind == "f" and array.itemsize > dtype.itemsize:
        logger.warn(f"Box's {name} lost precision: it is {array.dtype} and the space {dtype}", stacklevel=4)
    if dtype.kind == "i" and endless.any():
        filled = np.where(endless, 0, array).astype(dtype)
        return np.where(endless, lowest if name == "low" else highest, filled)
    return array.astype(np.bool_) if dtype.kind == "b" else array


def repeated(array: NDArray[Any], n: int) -> NDArray[Any]:
    """`numpy.broadcast_to` of n along a new first axis, in a quarter of the time.

    >>> repeated(np.arange(2), 3).tolist()
    [[0, 1], [0, 1], [0, 1]]
    """
    if not (array.size and array.flags.c_contiguous):
        return np.broadcast_to(array, (n, *array.shape))
    view: NDArray[Any] = np.ndarray((n, *array.shape), array.dtype, array, 0, (0, *array.strides))
    view.setflags(write=False)
    return view


def once(array: NDArray[Any]) -> NDArray[Any]:
    """A view with each repetition of a broadcast array taken once, so that it broadcasts to that array.

    >>> once(np.broadcast_to(np.arange(2), (1000, 2)))
    array([[0, 1]])
    """
    if 0 not in array.strides:
        return array
    return array[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in array.strides)]


def crossed(low: NDArray[Any], high: NDArray[Any]) -> str:
    """What is wrong with bounds that are not in order."""
    for name, array in (("low", low), ("high", high)):
        if array.dtype.kind == "f" and np.isnan(array).any():
            return f"Box expects {name} without NaN, got {array}"
    where = tuple(np.argwhere(low > high)[0].tolist())
    at = f" at index {where}" if where else ""
    return f"Box expects low <= high, got low={low[where]} > high={high[where]}{at}"


def _limits(dtype: np.dtype[Any]) -> tuple[Any, Any]:
    if dtype.kind == "b":
        return 0, 1
    if dtype.kind == "f":
        return np.float64(np.finfo(dtype).min), np.float64(
            np.finfo(dtype).max
        )  # a plain float is cast to what it meets
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


def _outside(array: NDArray[Any], lowest: Any, highest: Any, endless: NDArray[np.bool_], dtype: np.dtype[Any]) -> bool:
    """Whether a number lies beyond the dtype's range; both infinities are at home in floating dtypes."""
    beyond = (array < lowest) | (array > highest)
    return bool((beyond & ~(np.isinf(array) if dtype.kind == "f" and array.dtype.kind == "f" else endless)).any())
