"""The `Charset` class, which contains the characters of a Text space. All copies of a space share its charset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Charset", "cumulate"]


class Charset:
    """An immutable, ordered set of characters."""

    __slots__ = ("indexes", "letters", "members", "ordered", "uniform")

    def __init__(self, characters: str) -> None:
        self.letters, self.members = tuple(characters), frozenset(characters)
        self.ordered = "".join(sorted(characters))
        self.indexes = {ord(letter): i for i, letter in enumerate(self.letters)}
        n = len(self.letters)
        self.uniform = cumulate(np.ones(n) / n) if n else None

    def __deepcopy__(self, memo: dict[int, Any]) -> Charset:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Charset, ("".join(self.letters),)


def cumulate(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the cumulative probabilities of the characters, as `numpy.random.Generator.choice` does."""
    sums = weights.cumsum()
    return np.asarray(sums / sums[-1])
