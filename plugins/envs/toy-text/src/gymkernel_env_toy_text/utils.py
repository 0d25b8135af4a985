"""The function `categorical_sample`, which chooses an outcome at random."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["categorical_sample"]


def categorical_sample(prob_n: ArrayLike, np_random: np.random.Generator) -> np.int64:
    """Sample an index with the given probabilities. This uses a single random number.

    Args:
        prob_n: an array of shape (n,) with the probabilities, whose sum is 1.
        np_random: the random number generator.

    >>> int(categorical_sample([0.0, 0.25, 0.75], np.random.default_rng(1)))
    2
    """
    drawn: np.int64 = (np.asarray(prob_n).cumsum() > np_random.random()).argmax()
    return drawn
