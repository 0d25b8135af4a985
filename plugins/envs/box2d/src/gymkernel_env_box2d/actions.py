"""Functions that check and convert actions, and the codes of the arrow keys."""

from __future__ import annotations

from operator import index
from typing import Any

import numpy as np

from gymkernel.error import InvalidAction

__all__ = ["DOWN", "LEFT", "RIGHT", "UP", "choice", "numbers"]

RIGHT, LEFT, DOWN, UP = 1073741903, 1073741904, 1073741905, 1073741906
"""The codes of the arrow keys in pygame 2."""


def choice(action: Any, n: int) -> int:
    """Convert an action in `Discrete(n)` to an int.

    Raises:
        InvalidAction: if the action is not an integer from 0 to n - 1.
    """
    try:
        chosen = index(action)
    except TypeError:
        chosen = -1
    if 0 <= chosen < n:
        return chosen
    raise InvalidAction(f"Expected an action from 0 to {n - 1}, got {action!r} ({type(action).__name__})")


def numbers(action: Any, n: int) -> list[float]:
    """Convert an action of shape (n,) to a list of numbers.

    Raises:
        InvalidAction: if the action has a different shape or does not consist of numbers.
    """
    try:
        array = action if isinstance(action, np.ndarray) else np.asarray(action)
    except ValueError:  # nested lists of different lengths
        array = np.zeros(0)
    if array.shape != (n,) or array.dtype.kind not in "fiub":
        raise InvalidAction(f"Expected {n} numbers in an array of shape ({n},), got {action!r}")
    listed: list[float] = array.tolist()
    return listed
