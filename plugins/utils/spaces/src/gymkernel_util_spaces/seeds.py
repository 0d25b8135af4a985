"""Seeds of a space and of the spaces inside it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gymkernel.utils.seeding import as_seed, np_random

__all__ = ["split_seeds"]


def split_seeds(seed: Any, n: int) -> list[Any]:
    """Return a seed for a space and one for each space inside it.

    Args:
        seed: None for a random seed each; an integer, which is the first, and from which the others are drawn; or a
            sequence of 1 + n seeds.
        n: number of spaces inside.

    >>> split_seeds(7, 2)
    [7, 2029167940, 1342382291]
    """
    if seed is None:
        return [None] * (1 + n)
    if isinstance(seed, tuple | list | np.ndarray):
        if len(seed) != 1 + n:
            raise ValueError(f"Expected {1 + n} seeds, for the space and the {n} inside, got {len(seed)}")
        return list(seed)
    if not hasattr(seed, "__index__"):
        raise TypeError(f"Expected a seed that is an integer, a sequence of them, or None, got {seed!r}")
    draw = np_random(seed)[0].integers  # one by one: a call for all takes three times as long as one for one
    return [as_seed(seed), *(int(draw(2**31 - 1)) for _ in range(n))]
