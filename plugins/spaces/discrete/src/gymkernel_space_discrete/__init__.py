"""The `Discrete` space, which contains n consecutive integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, NoReturn, overload

import numpy as np

from gymkernel import ops
from gymkernel.protocols import ScalarType
from gymkernel.space import Field, Layout, Space, compare_foreign
from gymkernel.utils import seeding
from gymkernel_space_box import Box
from gymkernel_util_spaces.arrays import register_arrays, register_codec
from gymkernel_util_spaces.choice import choose, mask_or_probability
from gymkernel_util_spaces.vectors import Codec

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from gymkernel_space_multi_discrete import MultiDiscrete

__all__ = ["Discrete"]

INTEGER = (int, np.integer)
put = object.__setattr__
FEW = 64
"""The maximum number of elements in a space for which all elements are cached as NumPy scalars."""
DERIVED = frozenset({"_first", "_from_zero", "_last", "_type"})
"""Attributes that are derived from `n`, `start` and `dtype`, and are therefore not copied or pickled."""


class Discrete(Space[ScalarType], Generic[ScalarType]):
    """A space of the integers from `start` to `start + n - 1`.

    Args:
        n: the number of elements, at least 1.
        seed: an integer >= 0, a `numpy.random.Generator`, or None.
        start: the smallest element.
        dtype: the integer dtype of the elements, which are NumPy scalars.

    Raises:
        TypeError: if `n` or `start` is not an integer, or if `dtype` is not an integer dtype.
        ValueError: if `n` is not positive or an element does not fit the dtype.

    >>> space = Discrete(3, seed=42, start=-1)
    >>> space
    Discrete(3, start=-1)
    >>> int(space.sample()), 1 in space, 2 in space
    (-1, True, False)
    >>> int(space.sample(mask=np.array([0, 1, 0], np.int8)))
    0
    """

    spec_fields = MappingProxyType({"n": int, "start": int, "dtype": np.dtype})
    n: Any = None
    """The number of elements. This attribute can be changed."""
    start: Any = None
    """The smallest element. This attribute can be changed."""
    _shape = ()
    _type: Any
    _first: int
    _last: int
    _from_zero: bool
    """Whether `start` is 0. If so, `sample` need not add `start` to a random integer in [0, n)."""

    @overload
    def __init__(
        self: Discrete[np.int64],
        n: int | np.integer[Any],
        seed: int | np.random.Generator | None = ...,
        start: int | np.integer[Any] = ...,
    ) -> None: ...
    @overload
    def __init__(
        self,
        n: int | np.integer[Any],
        seed: int | np.random.Generator | None = ...,
        start: int | np.integer[Any] = ...,
        dtype: type[ScalarType] | np.dtype[ScalarType] = ...,
    ) -> None: ...
    @overload
    def __init__(
        self,
        n: int | np.integer[Any],
        seed: int | np.random.Generator | None = ...,
        start: int | np.integer[Any] = ...,
        dtype: DTypeLike = ...,
    ) -> None: ...
    def __init__(
        self,
        n: int | np.integer[Any],
        seed: int | np.random.Generator | None = None,
        start: int | np.integer[Any] = 0,
        dtype: DTypeLike = np.int64,
    ) -> None:
        if not (isinstance(n, INTEGER) and isinstance(start, INTEGER)):
            name, value = ("start", start) if isinstance(n, INTEGER) else ("n", n)
            raise TypeError(f"Discrete expects {name} to be an integer, got {value!r} ({type(value).__name__})")
        if dtype is None or np.dtype(dtype).kind not in "iu":
            raise TypeError(f"Discrete expects an integer dtype, got {None if dtype is None else np.dtype(dtype)}")
        if n <= 0:
            raise ValueError(f"Discrete expects n to be positive, got n={n}")
        integer, first = np.dtype(dtype), int(start)
        last, (kind, least, most) = first + int(n) - 1, _limits(integer)
        if first < least or last > most or n > most:
            raise ValueError(f"Discrete({n}, start={start}) does not fit {integer}, whose maximum is {most}")
        put(self, "dtype", integer)
        put(self, "n", kind(n))
        put(self, "start", kind(start))
        put(self, "_last", last)
        put(self, "_first", first)
        put(self, "_from_zero", not first)
        put(self, "_type", kind)
        if seed is not None:
            super().__init__((), integer, seed)

    def _drop_facts(self) -> None:
        """Recompute derived attributes immediately, so that `contains` need not check whether they exist."""
        if self.n is not None and self.start is not None and self.dtype is not None:
            kind, first = self.dtype.type, int(self.start)
            put(self, "_type", kind)
            put(self, "_first", first)
            put(self, "_last", first + int(self.n) - 1)
            put(self, "_from_zero", not first and type(self.start) in {int, kind})
        super()._drop_facts()

    def sample(
        self, mask: NDArray[np.int8] | None = None, probability: NDArray[np.float64] | None = None
    ) -> ScalarType:
        """Return a random element. By default, all elements are equally likely.

        Args:
            mask: an int8 vector of length n that contains 1 for each allowed element and 0 otherwise. If it contains
                only 0, `start` is returned.
            probability: a float64 vector of length n that contains the probability of each element.
        """
        if mask is None and probability is None:
            rng = self._np_random
            number = (self.np_random if rng is None else rng).integers(self.n, dtype=self._type)
            return number if self._from_zero else self.start + number  # type: ignore[no-any-return]
        name, weights = mask_or_probability(mask, probability)
        return self.start + self._type(choose(self.np_random, name, weights, int(self.n)))  # type: ignore[no-any-return]

    def sample_n(self, n: int) -> NDArray[Any]:
        """Return n random elements as a single array."""
        if type(self).sample is not Discrete.sample:
            return super().sample_n(n)  # type: ignore[no-any-return]
        numbers = self.np_random.integers(self.n, size=self._count(n), dtype=self._type)
        return numbers if self._from_zero else self.start + numbers

    def contains(self, x: Any) -> bool:
        """Return whether an object is an integer from `start` to `start + n - 1`.

        The object may be a Python integer, a NumPy integer or an array of shape () whose dtype can be cast safely.
        """
        try:
            if type(x) is self._type or isinstance(x, int):
                return self._first <= int(x) <= self._last
            if isinstance(x, np.integer) or (isinstance(x, np.ndarray) and x.shape == () and x.dtype.kind in "iu"):
                fits = x.dtype is self.dtype or np.can_cast(x.dtype, self.dtype)
                return fits and self._first <= int(x) <= self._last
        except Exception:  # noqa: BLE001 - an arbitrary object may raise any exception
            return False
        return False

    def to_jsonable(self, sample_n: Iterable[Any]) -> list[int]:
        """Convert elements to Python integers."""
        return [int(x) for x in sample_n]

    def from_jsonable(self, sample_n: Iterable[int]) -> list[Any]:
        """Convert integers to NumPy scalars."""
        return [self._type(x) for x in sample_n]

    def layout(self) -> Layout:
        """Return a single field for an integer."""
        return (Field(self.dtype, ()),)

    def examples(self) -> Iterator[Any]:
        """Yield all elements of a small space, or the first, the last and some random elements of a large space."""
        every, kind, first, last = 16, self._type, self._first, self._last
        yield from (kind(x) for x in range(first, min(last + 1, first + every)))
        if int(self.n) > every:
            yield kind(last)
            yield from super().examples()

    @classmethod
    def test_instances(cls) -> Iterator[Discrete[Any]]:
        """Yield several small spaces of this class, for use in tests and by `gymkernel check`."""
        yield cls(5)
        yield cls(3, start=-1)
        yield cls(1)
        yield cls(100, start=7, dtype=np.int32)

    def to_spec(self) -> dict[str, Any]:
        """Return `n`, and also `start` and `dtype` if they differ from their defaults."""
        start = {"start": int(self.start)} if self.start else {}
        return {"n": int(self.n), **start, **({} if self.dtype == np.int64 else {"dtype": self.dtype.name})}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Discrete):
            return compare_foreign(other)
        return self.dtype == other.dtype and self._first == other._first and self._last == other._last

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        start = f", start={self.start}" if self.start else ""
        return f"Discrete({self.n}{start}{'' if self.dtype == np.int64 else f', dtype={self.dtype}'})"

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in DERIVED}

    def __setstate__(self, state: Iterable[tuple[str, Any]] | dict[str, Any]) -> None:
        rest = {"start": np.int64(0), **dict(state)}  # pickles from gym before 0.22 do not contain start
        if rest.get("dtype") is None:
            rest["dtype"] = np.dtype(np.int64)
        super().__setstate__(rest)


@cache
def _limits(dtype: np.dtype[Any]) -> tuple[type, int, int]:
    """Return the scalar type, the minimum and the maximum of an integer dtype."""
    return dtype.type, int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


@ops.flatten.register(Discrete)
def _flatten(space: Discrete[Any], x: Any) -> NDArray[Any]:
    onehot = np.zeros(int(space.n), space.dtype)
    index = int(x) - int(space.start)
    if not 0 <= index < len(onehot):
        raise ValueError(f"{x} is not an element of {space}")
    onehot[index] = 1
    return onehot


@register_codec(Discrete)
def _codec(space: Discrete[Any]) -> Codec:
    n, start, kind = int(space.n), int(space.start), space.dtype.type

    def writer(offset: int) -> Callable[[Any, NDArray[Any]], None]:
        def write(x: Any, out: NDArray[Any]) -> None:
            index = int(x) - start
            if not 0 <= index < n:
                raise ValueError(f"{x} is not an element of {space}")
            out[offset + index] = 1

        return write

    def reader(offset: int) -> Callable[[NDArray[Any]], Any]:
        place = slice(offset, offset + n)
        choices = [kind(start + i) for i in range(min(n, FEW))]  # NumPy scalars are immutable and can be shared

        def read(x: NDArray[Any]) -> Any:
            ones = x[place].nonzero()[0].tolist()
            if not ones:
                raise ValueError(f"Cannot unflatten {x[place]}: {space} expects a one-hot vector of length {n}")
            return choices[ones[0]] if ones[0] < FEW else kind(start + ones[0])

        return read

    return Codec(n, space.dtype, writer, reader)


@ops.flatten_space.register(Discrete)
def _flatten_space(space: Discrete[Any]) -> Box[Any]:
    return Box(0, 1, (int(space.n),), space.dtype)


@ops.batch_space.register(Discrete)
def _batch_space(space: Discrete[Any], n: int = 1) -> MultiDiscrete[Any]:
    return _batch(space, np.full(n, space.n), np.full(n, space.start), space.dtype)


@ops.batch_differing_spaces.register(Discrete)
def _batch_differing_spaces(space: Discrete[Any], spaces: Sequence[Discrete[Any]]) -> MultiDiscrete[Any]:
    """Return the space of batches with one element of each space. Its dtype is the largest dtype of the spaces."""
    dtype = max((s.dtype for s in spaces), key=lambda d: d.itemsize)
    nvec, start = np.array([int(s.n) for s in spaces]), np.array([int(s.start) for s in spaces])
    return _batch(space, nvec, start, dtype)


def _batch(space: Discrete[Any], nvec: NDArray[Any], start: NDArray[Any], dtype: Any) -> MultiDiscrete[Any]:
    from gymkernel_space_multi_discrete import MultiDiscrete  # imported here because only batches need it

    return MultiDiscrete(nvec, dtype, seeding.twin(space.np_random), start)


@ops.iterate.register(Discrete)
def _iterate(space: Discrete[Any], items: Any) -> NoReturn:
    raise TypeError(f"Cannot iterate over an element of a Discrete, because it is a single number, got {items!r}")


@ops.concatenate.register(Discrete)
def _concatenate(space: Discrete[Any], items: Iterable[Any], out: NDArray[Any]) -> NDArray[Any]:
    out[...] = list(items)
    return out


register_arrays(Discrete, one_hot=True)


@ops.create_zero_array.register(Discrete)
def _create_zero_array(space: Discrete[Any]) -> Any:
    return space.start
