"""A weighted choice among 0 .. n - 1."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["choose"]


def choose(rng: np.random.Generator, name: str, weights: Any, n: int) -> Any:
    """Draw by a mask or a probability vector; 0 where a mask allows nothing.

    Args:
        rng: the generator.
        name: "mask" or "probability".
        weights: int8 vector of 0 and 1, or float64 vector that sums to 1, of length n.
        n: number of choices.

    Raises:
        ValueError: weights of another type, dtype, shape or value.

    >>> int(choose(np.random.default_rng(0), "mask", np.array([0, 0, 1], np.int8), 3))
    2
    """
    dtype = np.int8 if name == "mask" else np.float64
    if not isinstance(weights, np.ndarray) or weights.dtype != dtype or weights.shape != (n,):
        seen = f"{weights.dtype} {weights.shape}" if isinstance(weights, np.ndarray) else type(weights).__name__
        message = f"Expected {name} to be an array of {np.dtype(dtype)} of shape ({n},), got {seen}"
        raise ValueError(message)
    if name == "mask":
        if ((weights != 0) & (weights != 1)).any():
            message = f"Expected a mask of 0 and 1, got {weights}"
            raise ValueError(message)
        allowed = np.flatnonzero(weights)
        return rng.choice(allowed) if allowed.size else 0
    if ((weights < 0) | (weights > 1)).any() or not np.isclose(weights.sum(), 1):
        message = f"Expected probabilities in [0, 1] that sum to 1, got {weights} with the sum {weights.sum()}"
        raise ValueError(message)
    likely = np.flatnonzero(weights)
    return rng.choice(likely, p=(weights / weights.sum())[likely])
