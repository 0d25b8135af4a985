"""Masks and probabilities: which of the two was given, whether it is valid, and a weighted choice."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

__all__ = ["check_weights", "choose", "mask_or_probability"]


def mask_or_probability(mask: Any, probability: Any) -> tuple[Literal["mask", "probability"], Any]:
    """The name and the value of the one that is not None.

    Args:
        mask: what `sample` was given.
        probability: what `sample` was given.

    Raises:
        ValueError: both were given.

    >>> mask_or_probability(None, (0.5, 0.5))
    ('probability', (0.5, 0.5))
    """
    if mask is not None and probability is not None:
        raise ValueError("sample takes a mask or a probability, got both")
    return ("mask", mask) if probability is None else ("probability", probability)


def check_weights(name: str, weights: Any, shape: tuple[int, ...], largest: int = 1, *, total: bool = True) -> None:
    """Refuse what is no array of weights.

    Args:
        name: "mask" (int8, from 0 to `largest`) or "probability" (float64, from 0 to 1).
        weights: what was given.
        shape: the shape it must have.
        largest: the largest number in a mask.
        total: whether probabilities must sum to 1.

    Raises:
        ValueError: weights of another type, dtype, shape or value.
    """
    dtype = np.int8 if name == "mask" else np.float64
    if not isinstance(weights, np.ndarray) or weights.dtype != dtype or weights.shape != shape:
        seen = f"{weights.dtype} {weights.shape}" if isinstance(weights, np.ndarray) else type(weights).__name__
        raise ValueError(f"Expected {name} to be an array of {np.dtype(dtype)} of shape {shape}, got {seen}")
    if name == "mask":
        if ((weights < 0) | (weights > largest)).any():
            raise ValueError(f"Expected a mask of {', '.join(map(str, range(largest)))} and {largest}, got {weights}")
    elif not ((weights >= 0) & (weights <= 1)).all() or (total and not np.isclose(weights.sum(), 1)):
        sums = f" that sum to 1, got {weights} with the sum {weights.sum()}" if total else f", got {weights}"
        raise ValueError(f"Expected probabilities in [0, 1]{sums}")


def choose(rng: np.random.Generator, name: str, weights: Any, n: int) -> Any:
    """Draw one of 0 .. n - 1 by a mask or a probability vector; 0 where a mask allows nothing.

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
    check_weights(name, weights, (n,))
    likely = np.flatnonzero(weights)
    if name == "mask":
        return rng.choice(likely) if likely.size else 0
    return rng.choice(likely, p=(weights / weights.sum())[likely])
