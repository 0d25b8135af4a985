"""Functions that validate masks, probabilities and seeds of spaces, and make weighted random choices."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from gymkernel.utils.seeding import as_seed, np_random

__all__ = ["check_weights", "choose", "mask_or_probability", "split_seeds"]


def mask_or_probability(mask: Any, probability: Any) -> tuple[Literal["mask", "probability"], Any]:
    """Return the name and the value of the argument that was passed to `sample`, either `mask` or `probability`.

    Args:
        mask: the argument `mask` of `sample`.
        probability: the argument `probability` of `sample`.

    Raises:
        ValueError: if both arguments were passed.

    >>> mask_or_probability(None, (0.5, 0.5))
    ('probability', (0.5, 0.5))
    """
    if mask is not None and probability is not None:
        raise ValueError("sample accepts a mask or a probability, got both")
    return ("mask", mask) if probability is None else ("probability", probability)


def check_weights(name: str, weights: Any, shape: tuple[int, ...], largest: int = 1, *, total: bool = True) -> None:
    """Check that a mask or an array of probabilities has the right type, shape and values.

    Args:
        name: "mask" for int8 weights from 0 to `largest`, or "probability" for float64 weights from 0 to 1.
        weights: the mask or probabilities that were passed to `sample`.
        shape: the expected shape.
        largest: the largest valid number in a mask.
        total: whether the probabilities must sum to 1.

    Raises:
        ValueError: if the weights have the wrong type, dtype or shape, or contain an invalid value.
    """
    dtype = np.int8 if name == "mask" else np.float64
    if not isinstance(weights, np.ndarray) or weights.dtype != dtype or weights.shape != shape:
        seen = f"{weights.dtype} {weights.shape}" if isinstance(weights, np.ndarray) else type(weights).__name__
        raise ValueError(f"Expected {name} to be an array of {np.dtype(dtype)} of shape {shape}, got {seen}")
    if name == "mask":
        if ((weights < 0) | (weights > largest)).any():
            raise ValueError(f"Expected a mask of {', '.join(map(str, range(largest)))} and {largest}, got {weights}")
    elif not ((weights >= 0) & (weights <= 1)).all() or (total and not np.isclose(weights.sum(), 1)):
        sums = f" whose sum is 1, got {weights} with the sum {weights.sum()}" if total else f", got {weights}"
        raise ValueError(f"Expected probabilities in [0, 1]{sums}")


def choose(rng: np.random.Generator, name: str, weights: Any, n: int) -> Any:
    """Choose a random integer from 0 to n - 1, using a mask or probabilities. If the mask is 0 everywhere, return 0.

    Args:
        rng: the random number generator.
        name: "mask" or "probability".
        weights: a vector of length n: an int8 mask of zeros and ones, or float64 probabilities whose sum is 1.
        n: the number of choices.

    Raises:
        ValueError: if the weights have the wrong type, dtype or shape, or contain an invalid value.

    >>> int(choose(np.random.default_rng(0), "mask", np.array([0, 0, 1], np.int8), 3))
    2
    """
    check_weights(name, weights, (n,))
    choices = np.flatnonzero(weights)
    if name == "mask":
        return rng.choice(choices) if choices.size else 0
    return rng.choice(choices, p=(weights / weights.sum())[choices])


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
