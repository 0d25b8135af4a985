"""The class `Streams`, which generates random numbers for many environments, each of which has its own generator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gymkernel.utils import seeding

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Indexes = NDArray[np.intp]

__all__ = ["Streams"]

BLOCK = 64
"""The number of 64-bit words that each generator generates in advance."""
LOW = np.uint64(0xFFFFFFFF)
HALF, FRACTION, UNIT = np.uint64(32), np.uint64(11), 2.0**-53


class Streams:
    """A set of random number generators, one for each of `num_envs` environments, that generate numbers in one call.

    The numbers are the same as if each generator were used separately. NumPy's `Generator` converts words of 64 random
    bits to numbers, according to rules that are the same in every version. A float uses the upper 53 bits of a word. An
    integer below n uses half a word (Lemire, "Fast Random Integer Generation in an Interval", ACM Transactions on
    Modeling and Computer Simulation 29, 2019), and the other half is saved for the next integer. This class stores the
    words of all generators in one array, and applies the rules to the columns of the array.

    Args:
        num_envs: the number of generators. A generator without a seed is seeded with entropy from the operating system.

    >>> streams = Streams(2)
    >>> streams.seed([0, 1], [7, 8])
    >>> bool(streams.random(np.array([0, 1]))[1] == np.random.default_rng(8).random())
    True
    """

    def __init__(self, num_envs: int) -> None:
        self._generators: list[np.random.Generator | None] = [None] * num_envs
        self._seeds: list[int] = [-1] * num_envs
        self._words = np.empty((num_envs, BLOCK), np.uint64)
        self._next = np.full(num_envs, BLOCK, np.intp)
        self._left = 0
        """A lower bound on the number of unused words that each generator still has."""
        self._spare = np.zeros(num_envs, np.uint64)
        self._has_spare = np.zeros(num_envs, np.bool_)

    def seed(self, where: Iterable[int], values: Sequence[int | None]) -> None:
        """Seed the given generators. A generator whose seed is None remains unchanged."""
        for i, value in zip(where, values, strict=True):
            if value is not None:
                generator, seed = seeding.np_random(value)
                self._set(i, generator, seed)

    def _set(self, i: int, generator: np.random.Generator, seed: int) -> None:
        state = cast("dict[str, Any]", generator.bit_generator.state)
        self._generators[i], self._seeds[i] = generator, seed
        self._next[i], self._left = BLOCK, 0
        self._has_spare[i], self._spare[i] = bool(state["has_uint32"]), state["uinteger"]

    @property
    def seeds(self) -> tuple[int, ...]:
        """Return the seed of each generator, or -1 for a generator that a program has assigned."""
        self._all_generators()
        return tuple(self._seeds)

    @property
    def generators(self) -> tuple[np.random.Generator, ...]:
        """Copies of the generators. Using the copies does not change the numbers that this object returns."""
        return tuple([self._copy(i, generator) for i, generator in enumerate(self._all_generators())])

    @generators.setter
    def generators(self, values: Sequence[np.random.Generator]) -> None:
        if len(values) != len(self._generators) or not all(_is_pcg64(generator) for generator in values):
            raise TypeError(
                f"Expected {len(self._generators)} PCG64 generators, one for each environment, got {values!r}"
            )
        for i, generator in enumerate(values):
            self._set(i, seeding.twin(generator), -1)

    def _copy(self, i: int, generator: np.random.Generator) -> np.random.Generator:
        copied = seeding.twin(generator)
        bits = cast("np.random.PCG64", copied.bit_generator)
        bits.advance(int(self._next[i]) - BLOCK)
        has, spare = int(self._has_spare[i]), int(self._spare[i])
        bits.state = {**bits.state, "has_uint32": has, "uinteger": spare}
        return copied

    def _all_generators(self) -> list[np.random.Generator]:
        """Return all generators. Create the generators that have not been seeded yet."""
        for i, generator in enumerate(self._generators):
            if generator is None:
                self._set(i, *seeding.np_random())
        return cast("list[np.random.Generator]", self._generators)

    def call(self, where: Indexes, method: str, *arguments: Any, **kwargs: Any) -> list[Any]:
        """Call a method of each of the given generators, and return the results."""
        if method == "random" and not arguments and not kwargs:
            return self.random(where).tolist()  # type: ignore[no-any-return]
        generators, returned = self._all_generators(), []
        for i in where.tolist():
            generator = self._copy(i, generators[i])
            returned.append(getattr(generator, method)(*arguments, **kwargs))
            self._set(i, generator, self._seeds[i])
        return returned

    def random(self, where: Indexes | None) -> NDArray[np.float64]:
        """Return a random float in [0, 1) from each of the given generators, or from all if `where` is None."""
        numbers: NDArray[np.float64] = (self._next_words(where) >> FRACTION).astype(np.float64)
        numbers *= UNIT
        return numbers

    def integers(self, n: int, where: Indexes) -> NDArray[np.intp]:
        """Return a random integer from 0 to n - 1 from each of the given generators. `n` must be less than 2**32."""
        product = self._halves(where) * np.uint64(n)
        refused = ((product & LOW) < (1 << 32) % n).nonzero()[0]
        while refused.size:  # this is rarely necessary, but without it, small integers would be slightly more probable
            product[refused] = again = self._halves(where[refused]) * np.uint64(n)
            refused = refused[(again & LOW) < (1 << 32) % n]
        return (product >> HALF).astype(np.intp)

    def rows(self, below: Sequence[int], where: Indexes) -> NDArray[np.intp]:
        """Return random integers from each of the given generators. The integers in column k are less than `below[k]`.

        Returns:
            An array with a row for each generator and a column for each bound.
        """
        count, words = len(below), (len(below) + 1) // 2
        if self._left < words:
            self._fill()
        ahead = self._words[where[:, None], self._next[where, None] + np.arange(words)]
        halves = np.empty((where.size, 1 + 2 * words), np.uint64)
        halves[:, 0], halves[:, 1::2], halves[:, 2::2] = self._spare[where], ahead & LOW, ahead >> HALF
        has_spare = self._has_spare[where]
        first = (~has_spare).astype(np.intp)
        product = halves[np.arange(where.size)[:, None], first[:, None] + np.arange(count)] * np.array(below, np.uint64)
        if ((product & LOW) < [(1 << 32) % n for n in below]).any():
            return np.stack([self.integers(n, where) for n in below], axis=1)
        taken = count - has_spare.astype(np.intp)
        used = (taken + 1) // 2
        self._left -= words
        self._next[where] += used
        self._has_spare[where] = taken % 2 == 1
        self._spare[where] = halves[np.arange(where.size), 2 * used]
        numbers: NDArray[np.intp] = (product >> HALF).astype(np.intp)
        return numbers

    def _halves(self, where: Indexes) -> NDArray[np.uint64]:
        """Return 32 random bits from each generator: the saved half of a word or else the lower half of a new word."""
        has_spare = self._has_spare[where]
        self._has_spare[where] = ~has_spare
        halves = self._spare[where]
        fresh = (~has_spare).nonzero()[0]
        if fresh.size:
            takers = where[fresh]
            words = self._next_words(takers)
            halves[fresh] = words & LOW
            self._spare[takers] = words >> HALF
        return halves

    def _next_words(self, where: Indexes | None) -> NDArray[np.uint64]:
        """Return the next word of each generator."""
        if not self._left:
            self._fill()
        self._left -= 1
        if where is None:
            words = self._words[np.arange(self._next.size), self._next]
            self._next += 1
        else:
            places = self._next[where]
            words = self._words[where, places]
            self._next[where] = places + 1
        return words

    def _fill(self) -> None:
        """Generate words in advance for every generator that has used at least half of its words."""
        generators, words = self._all_generators(), self._words
        for i in (self._next >= BLOCK // 2).nonzero()[0].tolist():
            used = int(self._next[i])
            words[i, : BLOCK - used] = words[i, used:]
            words[i, BLOCK - used :] = generators[i].bit_generator.random_raw(used)
            self._next[i] = 0
        self._left = BLOCK - int(self._next.max())


def _is_pcg64(generator: Any) -> bool:
    return isinstance(getattr(generator, "bit_generator", None), np.random.PCG64)
