"""The bounds of a Box as numbers and strings, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["array_of", "numbers"]

ENDLESS = {"inf": np.inf, "-inf": -np.inf}


def numbers(bound: NDArray[Any], limited: NDArray[np.bool_], endless: str) -> Any:
    """Nested lists, or one number where all are equal; `endless` where a bound limits nothing."""
    values = (bound.astype(np.uint8) if bound.dtype.kind == "b" else bound).astype(object)
    values[~limited] = endless
    return values.flat[0] if values.size and bool((values == values.flat[0]).all()) else values.tolist()


def array_of(value: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """A bound of the shape and dtype, and a mask of where it limits anything; an integer's infinity is its extreme."""
    given = np.empty(shape, object)
    if given.size:  # else the lists tell of the first axes only
        given[...] = np.array(value, object)
    limited = np.array([one not in ENDLESS for one in given.flat], np.bool_).reshape(shape)
    extremes = {"-inf": np.iinfo(dtype).min, "inf": np.iinfo(dtype).max} if dtype.kind == "i" else ENDLESS
    if not limited.all() and dtype.kind not in "if":
        message = f"{dtype} has no infinity"
        raise ValueError(message)
    for index in np.argwhere(~limited):
        given[tuple(index)] = extremes[given[tuple(index)]]
    return given.astype(dtype), limited
