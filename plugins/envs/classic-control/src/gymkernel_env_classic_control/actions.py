"""Actions of one environment and of many: what counts as one, and the errors for what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import InvalidAction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LEFT", "RIGHT", "choices", "not_chosen", "numbers", "only_number"]

LEFT, RIGHT = 1073741904, 1073741903
"""The arrow keys, as pygame 2 numbers them."""


def not_chosen(action: Any, n: int) -> InvalidAction:
    """The error for what is no action of `Discrete(n)`."""
    choices = f"{', '.join(map(str, range(n - 1)))} or {n - 1}"
    return InvalidAction(f"Expected the action {choices}, got {action!r} ({type(action).__name__})")


def only_number(action: Any, what: str) -> np.floating[Any]:
    """The number in an action of shape (1,), in the precision in which it came; integers come in float64.

    Raises:
        InvalidAction: another shape, or no number.
    """
    try:
        given = np.asarray(action)
    except ValueError:  # lists of different lengths
        given = np.zeros(0)
    if given.shape != (1,) or given.dtype.kind not in "fiu" or np.isnan(given[0]):
        raise InvalidAction(f"Expected {what} in an array of shape (1,), got {action!r} ({type(action).__name__})")
    number: np.floating[Any] = given[0] if given.dtype.kind == "f" else np.float64(given[0])
    return number


def choices(actions: ArrayLike, num_envs: int, n: int) -> NDArray[np.intp]:
    """The actions of `num_envs` spaces `Discrete(n)`.

    Raises:
        InvalidAction: they are not that many integers from 0 to n - 1.
    """
    chosen = np.asarray(actions)
    if chosen.shape == (num_envs,) and chosen.dtype.kind in "iub":
        indices = chosen.astype(np.intp, copy=False)
        bits = np.bitwise_or.reduce(indices)  # no bit is lost in it, and the sign is one: quicker than the least
        if bits >= 0 and (bits < n or indices.max() < n):
            return indices
    listed = f"{', '.join(map(str, range(n - 1)))} or {n - 1}"
    raise InvalidAction(f"Expected {num_envs} actions that are {listed}, got {actions!r}")


def numbers(actions: ArrayLike, num_envs: int, what: str) -> NDArray[np.floating[Any]]:
    """The actions of `num_envs` spaces `Box` of shape (1,), as an array of one axis; integers come in float64.

    Raises:
        InvalidAction: they are not that many numbers.
    """
    try:
        given = np.asarray(actions)
    except ValueError:  # lists of different lengths
        given = np.zeros(0)
    if given.shape == (num_envs, 1) and given.dtype.kind in "fiu":
        flat = given[:, 0] if given.dtype.kind == "f" else given[:, 0].astype(np.float64)
        if not np.isnan(flat).any():
            return flat
    raise InvalidAction(f"Expected {num_envs} numbers ({what}) in an array of shape ({num_envs}, 1), got {actions!r}")
