"""The function `rescale_box`, which creates a Box with different bounds and the maps between the two boxes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import add, divide, multiply, subtract

from gymkernel_space_box import Box

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Map = Callable[[NDArray[Any]], NDArray[Any]]

__all__ = ["rescale_box"]


def rescale_box(box: Any, new_min: ArrayLike, new_max: ArrayLike) -> tuple[Box[Any], Map, Map]:
    """Return a Box with different bounds, and the affine maps between the two boxes.

    Each number is mapped separately. If both bounds of a number are finite, the number is scaled and shifted. If one
    bound is infinite, the number is only shifted. If both bounds are infinite, the number stays unchanged. If the old
    bounds are equal, the forward map only shifts the number. If the new bounds are equal, the backward map returns the
    old lower bound. The maps also accept batches.

    Args:
        box: the original Box, which may come from any library.
        new_min: the new lower bounds: a number, or an array that has the shape of the Box. A new bound must be `-inf`
            if and only if the old bound is `-inf`.
        new_max: the new upper bounds: a number, or an array that has the shape of the Box. A new bound must be `inf` if
            and only if the old bound is `inf`.

    Returns:
        The new Box, the map from old to new elements, and the map from new to old elements. The new Box has the same
        shape and dtype as the original.

    Raises:
        TypeError: if `box` is not a Box, or if a bound is not a number.
        ValueError: if a bound has the wrong shape or is NaN, if a lower bound is greater than the upper bound, or if
            only one of the old and the new bound is infinite.

    >>> new, forward, backward = rescale_box(
    ...     Box(np.array([0, -1]), np.array([4, np.inf]), dtype=np.float64), 0, [1, np.inf]
    ... )
    >>> forward(np.array([1.0, 5.0])), backward(np.array([0.5, 0.0]))
    (array([0.25, 6.  ]), array([ 2., -1.]))
    """
    if not (hasattr(box, "low") and hasattr(box, "high")):
        raise TypeError(f"rescale_box expects a Box, got {box!r}")
    low, high = _bound("new_min", new_min, box), _bound("new_max", new_max, box)
    _match("new_min", low, box.low)
    _match("new_max", high, box.high)
    if not (low <= high).all():
        raise ValueError(f"rescale_box expects new_min <= new_max, got {new_min!r} and {new_max!r}")
    gradient, intercept = _line(box, low, high)
    # Bounds such as 0.1 are rounded to the dtype.
    exact = box.dtype if np.dtype(box.dtype).kind == "f" else None
    new = Box(low.astype(exact or low.dtype), high.astype(exact or high.dtype), box.shape, box.dtype)
    flat = gradient == 0
    divisor = np.where(flat, np.ones_like(gradient), gradient)
    offset = np.where(flat, low - box.low, intercept).astype(box.dtype) if flat.any() else intercept
    return new, _forward_map(gradient, intercept), _backward_map(divisor, offset)


def _forward_map(gradient: NDArray[Any], intercept: NDArray[Any]) -> Map:
    """Return the fastest function that maps old elements to new elements."""
    if not intercept.any():
        return partial(np.multiply, gradient)
    if (gradient == 1).all():
        return partial(np.add, intercept)
    line = _Line(gradient, intercept)
    return line.forward if gradient.shape else line.forward_number


def _backward_map(divisor: NDArray[Any], offset: NDArray[Any]) -> Map:
    """Return the fastest function that maps new elements to old elements."""
    if not offset.any():
        return _Line(divisor, offset).divide_only
    if (divisor == 1).all():
        return _Line(divisor, offset).subtract_only
    line = _Line(divisor, offset)
    return line.backward if divisor.shape and divisor.dtype.kind == "f" else line.backward_number


class _Line:
    """An affine map for each number in an array.

    Each way to apply the map is a method, because calling a method is faster than calling a `functools.partial`.

    Args:
        gradient: the slope for each number.
        offset: the intercept for each number.
    """

    def __init__(self, gradient: NDArray[Any], offset: NDArray[Any]) -> None:
        self.gradient, self.offset = gradient, offset

    def forward(self, x: Any) -> Any:
        y = multiply(self.gradient, x)
        return add(y, self.offset, y)

    def forward_number(self, x: Any) -> Any:
        return self.gradient * x + self.offset

    def divide_only(self, x: Any) -> Any:
        return x / self.gradient

    def subtract_only(self, x: Any) -> Any:
        return x - self.offset

    def backward(self, x: Any) -> Any:
        y = subtract(x, self.offset)
        return divide(y, self.gradient, y)

    def backward_number(self, x: Any) -> Any:
        return (x - self.offset) / self.gradient


def _line(box: Any, low: NDArray[Any], high: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the slope and the intercept of the affine map for each number, computed in the widest float dtype."""
    below, above = np.isfinite(low), np.isfinite(high)
    both = below & above
    width = box.high[both].astype(np.longdouble) - box.low[both].astype(np.longdouble)
    gradient = np.ones(box.shape, box.dtype)
    gradient[both] = np.divide(high[both] - low[both], width, out=np.ones_like(width), where=width > 0)
    intercept = np.zeros(box.shape, box.dtype)
    intercept[above] = high[above] - box.high[above]
    intercept[below] = gradient[below] * -box.low[below] + low[below]
    return gradient, intercept


def _bound(name: str, value: Any, box: Any) -> NDArray[Any]:
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        raise TypeError(f"rescale_box expects {name} to be a number or an array of numbers, got {value!r}")
    if array.shape not in {(), box.shape}:
        raise ValueError(f"rescale_box expects {name} to have shape {box.shape}, got shape {array.shape}")
    if np.isnan(array).any():
        raise ValueError(f"rescale_box expects bounds without NaN, got {name}={value}")
    return np.full(box.shape, array)


def _match(name: str, new: NDArray[Any], old: NDArray[Any]) -> None:
    infinite = np.isinf(new) | np.isinf(old)
    if (new[infinite] != old[infinite]).any():
        message = (
            f"rescale_box expects {name} to be infinite exactly where the old bound is, got {new} instead of {old}"
        )
        raise ValueError(message)
