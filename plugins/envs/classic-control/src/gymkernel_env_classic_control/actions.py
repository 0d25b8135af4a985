"""Functions that check and convert the actions of single environments and vector environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import InvalidAction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LEFT", "RIGHT", "choices", "has_several_axes", "invalid_choice", "numbers", "single_number"]

LEFT, RIGHT = 1073741904, 1073741903
"""The codes of the arrow keys in pygame 2."""


NOTHING = np.zeros(0)


def _array(array: Any) -> NDArray[Any]:
    """Convert an action to an array. If the conversion fails, return an empty array."""
    try:
        return np.asarray(array)
    except ValueError:  # nested lists of different lengths
        return NOTHING


def invalid_choice(action: Any, n: int) -> InvalidAction:
    """Create the error for an action that is not in `Discrete(n)`."""
    choices = f"{', '.join(map(str, range(n - 1)))} or {n - 1}"
    return InvalidAction(f"Expected the action {choices}, got {action!r} ({type(action).__name__})")


def single_number(action: Any, what: str) -> np.floating[Any]:
    """Return the number in an action of shape (1,) without changing the number's precision.

    Integers become float64. If the array contains several numbers, the first number is returned.

    Raises:
        InvalidAction: if the action has the wrong shape or is not a number.
    """
    array = _array(action)
    if array.shape != (1,):
        array = array[:1] if array.ndim == 1 else NOTHING
    if array.dtype.kind == "O":
        array = _array(array.tolist())
    if array.shape != (1,) or array.dtype.kind not in "fiub" or np.isnan(array[0]):
        raise InvalidAction(f"Expected {what} in an array of shape (1,), got {action!r} ({type(action).__name__})")
    number: np.floating[Any] = array[0] if array.dtype.kind == "f" else np.float64(array[0])
    return number


def has_several_axes(action: Any) -> bool:
    """Return whether an action is a numeric array with more than one axis."""
    array = _array(action)
    return array.ndim > 1 and array.size > 0 and array.dtype.kind in "fiu" and not np.isnan(array).any()


def choices(actions: ArrayLike, num_envs: int, n: int) -> NDArray[np.intp]:
    """Check that a batch contains one `Discrete(n)` action per environment, and return the actions as an array.

    Raises:
        InvalidAction: if `actions` is not an array of integers from 0 to n - 1, one for each environment.
    """
    chosen = np.asarray(actions)
    if chosen.shape == (num_envs,) and chosen.dtype.kind in "iub":
        indices = chosen.astype(np.intp, copy=False)
        # If any action is negative, the bitwise OR of all actions is negative. This is faster than computing the
        # minimum.
        bits = np.bitwise_or.reduce(indices)
        if bits >= 0 and (bits < n or indices.max() < n):
            return indices
    if chosen.dtype.kind == "O" and (plain := _array(chosen.tolist())).dtype.kind != "O":
        return choices(plain, num_envs, n)
    listed = f"{', '.join(map(str, range(n - 1)))} or {n - 1}"
    raise InvalidAction(f"Expected {num_envs} actions that are {listed}, got {actions!r}")


def numbers(actions: ArrayLike, num_envs: int, what: str) -> NDArray[np.floating[Any]]:
    """Check that a batch contains a number for each environment, and return the numbers as a one-dimensional array.

    Integers become float64. If the action of an environment contains several numbers, the first one is used.

    Raises:
        InvalidAction: if `actions` does not contain a number for each environment.
    """
    array = _array(actions)
    if array.dtype.kind == "O":
        array = _array(array.tolist())
    if array.ndim == 2 and array.shape[1] and len(array) == num_envs and array.dtype.kind in "fiub":
        flat = array[:, 0] if array.dtype.kind == "f" else array[:, 0].astype(np.float64)
        if not np.isnan(flat).any():
            return flat
    raise InvalidAction(f"Expected {num_envs} numbers ({what}) in an array of shape ({num_envs}, 1), got {actions!r}")
