"""The bounds of a Box as numbers and strings, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bound_of", "numbers"]

ENDLESS = {"inf": np.inf, "-inf": -np.inf}


def numbers(bound: NDArray[Any], limited: NDArray[np.bool_], endless: str) -> Any:
    """Nested lists, or one number where all are equal; `endless` where a bound limits nothing."""
    values = (bound.astype(np.uint8) if bound.dtype.kind == "b" else bound).astype(object)
    values[~limited] = endless
    return values.flat[0] if values.size and bool((values == values.flat[0]).all()) else values.tolist()


def bound_of(value: Any, shape: tuple[int, ...], dtype: np.dtype[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """A bound of the shape and dtype, and a mask of where it limits anything; an integer's infinity is its extreme.

    Args:
        value: a number or "inf" or "-inf" for all elements, or nested lists of them of the shape.
        shape: shape of an element.
        dtype: a floating, integer or bool dtype.
    """
    given = np.array(value, object)
    if isinstance(value, list) and given.shape != shape[: given.ndim]:  # [] tells of the first axes only
        raise ValueError(f"expected a bound of the shape {shape}, got one of {given.shape}")
    limited = np.ones(given.shape, np.bool_)
    extremes = {"-inf": np.iinfo(dtype).min, "inf": np.iinfo(dtype).max} if dtype.kind == "i" else ENDLESS
    kinds = {int, float} if dtype.kind == "f" else {int}
    for i, one in enumerate(given.flat):
        if isinstance(one, str) and one in ENDLESS and dtype.kind in "if":
            given.flat[i], limited.flat[i] = extremes[one], False
        elif type(one) not in kinds:
            expected = {"f": "numbers", "i": "integers"}.get(dtype.kind, "integers and no infinity")
            raise ValueError(f"expected a bound of {dtype} in {expected}, got {type(one).__name__}")
    with np.errstate(over="ignore"):
        array = given.astype(dtype)
    if not np.array_equal(np.isfinite(array), limited) and dtype.kind == "f":
        raise ValueError(f"expected a bound within the range of {dtype}")
    if given.size or not isinstance(value, list):
        return np.broadcast_to(array, shape), np.broadcast_to(limited, shape)
    return np.empty(shape, dtype), np.ones(shape, np.bool_)
