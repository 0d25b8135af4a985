"""The function `split_seeds`, which derives seeds for a space and its inner spaces."""

from __future__ import annotations

from typing import Any

import numpy as np

from gymkernel.utils.seeding import as_seed, np_random

__all__ = ["split_seeds"]


def split_seeds(seed: Any, n: int) -> list[Any]:
    """Return a seed for a space and a seed for each of its inner spaces.

    Args:
        seed: an integer, a sequence of 1 + n seeds, or None for random seeds. An integer becomes the first seed, and
            the other seeds are derived from it.
        n: the number of inner spaces.

    >>> split_seeds(7, 2)
    [7, 2029167940, 1342382291]
    """
    if seed is None:
        return [None] * (1 + n)
    if isinstance(seed, tuple | list | np.ndarray):
        if len(seed) != 1 + n:
            raise ValueError(f"Expected {1 + n} seeds for the space and its {n} inner spaces, got {len(seed)} seeds")
        return list(seed)
    if not hasattr(seed, "__index__"):
        raise TypeError(f"Expected the seed to be an integer, a sequence of integers, or None, got {seed!r}")
    # Sampling single integers is three times as fast as sampling an array.
    draw = np_random(seed)[0].integers
    return [as_seed(seed), *(int(draw(2**31 - 1)) for _ in range(n))]
