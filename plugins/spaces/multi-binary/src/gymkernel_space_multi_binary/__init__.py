"""The `MultiBinary` space, which contains arrays of zeros and ones."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gymkernel import ops
from gymkernel.space import compare_foreign
from gymkernel.utils import seeding
from gymkernel_space_box import Box
from gymkernel_util_spaces.array_facts import ArraySpace
from gymkernel_util_spaces.arrays import register_arrays
from gymkernel_util_spaces.batches import require_alike
from gymkernel_util_spaces.choice import check_weights, mask_or_probability

__all__ = ["MultiBinary"]

BITS = b"\x00\x01"
DTYPE = np.dtype(np.int8)
put = object.__setattr__


class MultiBinary(ArraySpace[NDArray[np.int8]]):
    """A space of arrays that contain only 0 and 1. Their dtype is int8, unless the attribute `dtype` is changed.

    Args:
        n: the number of values, or the shape of the arrays. Each length must be at least 1.
        seed: an integer >= 0, a `numpy.random.Generator`, or None.

    Raises:
        ValueError: if `n` is neither a positive integer nor a sequence of positive integers.

    >>> space = MultiBinary(5, seed=42)
    >>> space.sample()
    array([1, 0, 1, 0, 1], dtype=int8)
    >>> space.sample(mask=np.array([0, 1, 1, 0, 2], np.int8))[:4]
    array([0, 1, 1, 0], dtype=int8)
    >>> MultiBinary([3, 2]).shape
    (3, 2)
    """

    spec_fields = MappingProxyType({"n": int | tuple[int, ...]})
    n: int | tuple[int, ...]
    """The length or shape of samples. Changing this attribute does not change `shape`."""

    def __init__(
        self,
        n: int | np.integer[Any] | Sequence[int] | NDArray[np.integer[Any]],
        seed: int | np.random.Generator | None = None,
    ) -> None:
        many = isinstance(n, Sequence | np.ndarray) and np.ndim(n) > 0
        lengths: tuple[Any, ...] = tuple(n) if many else (n,)  # type: ignore[arg-type]
        if not all(isinstance(length, int | np.integer) and length > 0 for length in lengths):
            raise ValueError(f"MultiBinary expects a positive integer or a sequence of positive integers, got {n!r}")
        shape = tuple(int(length) for length in lengths)
        put(self, "n", shape if many else shape[0])
        put(self, "_shape", shape)
        put(self, "dtype", DTYPE)
        if seed is not None:
            super().__init__(shape, DTYPE, seed)

    def sample(
        self, mask: NDArray[np.int8] | None = None, probability: NDArray[np.float64] | None = None
    ) -> NDArray[np.int8]:
        """Return a random element. By default, 0 and 1 are equally likely.

        Args:
            mask: an int8 array of the same shape as the elements. Where the mask is 0 or 1, the element has the same
                value. Where the mask is 2, the value is random.
            probability: a float64 array of the same shape as the elements, which contains the probability of 1 for each
                value.
        """
        if mask is None and probability is None:
            rng = self._np_random
            return (self.np_random if rng is None else rng).integers(0, 2, self.n, self.dtype)
        name, weights = mask_or_probability(mask, probability)
        check_weights(name, weights, self.shape, largest=2, total=False)
        if name == "probability":
            return np.asarray(self.np_random.random(self.shape) <= weights, self.dtype)
        drawn = self.np_random.integers(0, 2, self.n, self.dtype)
        return np.where(weights == 2, drawn, np.asarray(weights, self.dtype))

    def sample_n(self, n: int) -> NDArray[Any]:
        """Return n random elements as a single array."""
        if type(self).sample is not MultiBinary.sample:
            return super().sample_n(n)  # type: ignore[no-any-return]
        return self.np_random.integers(0, 2, (self._count(n), *self.shape), self.dtype)

    def contains(self, x: Any) -> bool:
        """Return whether an object is an array or sequence of the right shape that contains only 0 and 1."""
        if not isinstance(x, np.ndarray):
            if not isinstance(x, Sequence | np.generic):  # an element of shape () may be a NumPy scalar
                return False
            try:
                x = np.array(x)
            except Exception:  # noqa: BLE001 - an arbitrary object may raise any exception
                return False
        if x.shape != self._shape:
            return False
        if x.itemsize == 1 and x.dtype.kind in "iub":
            return not x.tobytes().translate(None, BITS)
        try:
            return x.dtype.kind in "iufcmO" and bool(((x == 0) | (x == 1)).all())
        except Exception:  # noqa: BLE001 - an arbitrary object may raise any exception
            return False

    def to_jsonable(self, sample_n: Iterable[NDArray[np.int8]]) -> list[Any]:
        """Convert elements to nested lists of integers."""
        return [np.asarray(sample).tolist() for sample in sample_n]

    def examples(self) -> Iterator[NDArray[np.int8]]:
        """Yield an array of zeros, an array of ones, and random elements."""
        yield np.zeros(self.shape, self.dtype)
        yield np.ones(self.shape, self.dtype)
        yield from super().examples()

    @classmethod
    def test_instances(cls) -> Iterator[MultiBinary]:
        """Yield several small spaces of this class, for use in tests and by `gymkernel check`."""
        yield cls(4)
        yield cls((2, 3))

    def to_spec(self) -> dict[str, Any]:
        """Return the number of values or the shape of the elements."""
        return {"n": self.n}

    @classmethod
    def spec_size(cls, spec: dict[str, Any]) -> int:
        """Return the number of values in an element."""
        n = spec["n"]
        return math.prod(n) if isinstance(n, list) else int(n)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MultiBinary):
            return compare_foreign(other)
        return self.n == other.n

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"MultiBinary({self.n})"


register_arrays(MultiBinary)


@ops.flatten_space.register(MultiBinary)
def _flatten_space(space: MultiBinary) -> Box[np.int8]:
    return Box(0, 1, (math.prod(space.shape),), space.dtype)


@ops.batch_space.register(MultiBinary)
def _batch_space(space: MultiBinary, n: int = 1) -> Box[np.int8]:
    batched: Box[np.int8] = ops.batch_space(_box(space.shape, np.dtype(space.dtype)), n)
    batched._np_random = seeding.twin(space.np_random)  # noqa: SLF001 - every space has this attribute
    return batched


@lru_cache(maxsize=64)
def _box(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Box[np.int8]:
    return Box(0, 1, shape, dtype)


@ops.batch_differing_spaces.register(MultiBinary)
def _batch_differing_spaces(space: MultiBinary, spaces: Sequence[MultiBinary]) -> Box[np.int8]:
    require_alike(spaces, lambda other: other.shape, "MultiBinaries of the same shape")
    return _batch_space(space, len(spaces))


@ops.create_zero_array.register(MultiBinary)
def _create_zero_array(space: MultiBinary) -> NDArray[np.int8]:
    return np.zeros(space.shape, space.dtype)
