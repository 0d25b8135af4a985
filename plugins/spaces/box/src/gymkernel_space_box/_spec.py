"""Functions that convert the bounds of a Box to numbers and strings, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["bound_from_spec", "bound_to_numbers"]

INFINITIES = {"inf": np.inf, "-inf": -np.inf}


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
