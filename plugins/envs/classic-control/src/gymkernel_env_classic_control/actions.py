"""Actions of one environment and of many: what counts as one, and the errors for what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import InvalidAction

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["LEFT", "RIGHT", "choices", "is_spread", "not_chosen", "numbers", "only_number"]

LEFT, RIGHT = 1073741904, 1073741903
"""The arrow keys, as pygame 2 numbers them."""


NOTHING = np.zeros(0)


def _array(given: Any) -> NDArray[Any]:
    """An array of what was given; an empty one where there is none."""
    try:
        return np.asarray(given)
    except ValueError:  # lists of different lengths
        return NOTHING


def not_chosen(action: Any, n: int) -> InvalidAction:
    """The error for what is no action of `Discrete(n)`."""
    choices = f"{', '.join(map(str, range(n - 1)))} or {n - 1}"
    return InvalidAction(f"Expected the action {choices}, got {action!r} ({type(action).__name__})")


def only_number(action: Any, what: str) -> np.floating[Any]:
    """The number in an action of shape (1,), in the precision in which it came; integers come in float64.

    Of several numbers side by side, it is the first.

    Raises:
        InvalidAction: another shape, or no number.
    """
    given = _array(action)
    if given.shape != (1,):
        given = given[:1] if given.ndim == 1 else NOTHING
    if given.dtype.kind == "O":
        given = _array(given.tolist())
    if given.shape != (1,) or given.dtype.kind not in "fiub" or np.isnan(given[0]):
        raise InvalidAction(f"Expected {what} in an array of shape (1,), got {action!r} ({type(action).__name__})")
    number: np.floating[Any] = given[0] if given.dtype.kind == "f" else np.float64(given[0])
    return number


def is_spread(action: Any) -> bool:
    """Whether an action has numbers in more axes than one."""
    given = _array(action)
    return given.ndim > 1 and given.size > 0 and given.dtype.kind in "fiu" and not np.isnan(given).any()


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
    if chosen.dtype.kind == "O" and (plain := _array(chosen.tolist())).dtype.kind != "O":
        return choices(plain, num_envs, n)
    listed = f"{', '.join(map(str, range(n - 1)))} or {n - 1}"
    raise InvalidAction(f"Expected {num_envs} actions that are {listed}, got {actions!r}")


def numbers(actions: ArrayLike, num_envs: int, what: str) -> NDArray[np.floating[Any]]:
    """The actions of `num_envs` spaces `Box` of shape (1,), as an array of one axis; integers come in float64.

    Of several numbers of an environment, it is the first.

    Raises:
        InvalidAction: they are not that many numbers.
    """
    given = _array(actions)
    if given.dtype.kind == "O":
        given = _array(given.tolist())
    if given.ndim == 2 and given.shape[1] and len(given) == num_envs and given.dtype.kind in "fiub":
        flat = given[:, 0] if given.dtype.kind == "f" else given[:, 0].astype(np.float64)
        if not np.isnan(flat).any():
            return flat
    raise InvalidAction(f"Expected {num_envs} numbers ({what}) in an array of shape ({num_envs}, 1), got {actions!r}")
