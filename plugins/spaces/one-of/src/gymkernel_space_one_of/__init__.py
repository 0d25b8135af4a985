"""The `OneOf` space, which contains the elements of several inner spaces."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import ops
from gymkernel.space import Field, Layout, Space, compare_foreign, examples, require_space
from gymkernel_space_box import Box
from gymkernel_space_tuple import Tuple
from gymkernel_util_spaces.arrays import register_codec
from gymkernel_util_spaces.choice import mask_or_probability, split_seeds
from gymkernel_util_spaces.codec import codec
from gymkernel_util_spaces.vectors import Codec

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OneOf"]

ALIGNMENT = 8
"""The alignment, in bytes, of the arrays in the field that can hold an element of any inner space."""


put = object.__setattr__


class OneOf(Space[tuple[Any, Any]]):
    """A space of (index, element) pairs. The element belongs to the inner space with this index.

    Args:
        spaces: the inner spaces, at least one.
        seed: an integer >= 0, a sequence of seeds for the index and for each inner space, a `numpy.random.Generator`,
            or None. If a generator is given, a copy of the generator seeds all inner spaces that have no generator of
            their own.

    Raises:
        TypeError: if an item of `spaces` is not a space or `spaces` is not iterable.
        ValueError: if `spaces` is empty.

    >>> from gymkernel.spaces import Box
    >>> space = OneOf((Box(0, 1), Box(-1, 1, (2,))), seed=123)
    >>> space
    OneOf(Box(0.0, 1.0, (1,), float32), Box(-1.0, 1.0, (2,), float32))
    >>> index, element = space.sample()
    >>> element in space[index]
    True
    """

    spec_fields = MappingProxyType({"spaces": list[Space]})
    spaces: tuple[Any, ...]
    """The inner spaces. They can be replaced."""

    def __init__(self, spaces: Iterable[Any], seed: int | Sequence[Any] | np.random.Generator | None = None) -> None:
        try:
            inside = tuple(spaces)
        except TypeError:
            if hasattr(spaces, "__iter__"):
                raise
            raise TypeError(f"OneOf expects spaces, got {spaces!r} ({type(spaces).__name__})") from None
        put(self, "spaces", inside)
        if not inside:
            raise ValueError("OneOf expects at least one space, got none")
        for space in inside:
            if not isinstance(space, Space):
                for i, item in enumerate(inside):
                    require_space(item, f"OneOf expects a space at index {i}")
                break
        if seed is not None:
            super().__init__(seed=seed)  # type: ignore[arg-type]

    @property
    def is_np_flattenable(self) -> bool:
        """Whether the elements of all inner spaces can be flattened to vectors of fixed length."""
        return all(getattr(space, "is_np_flattenable", False) for space in self.spaces)

    def seed(self, seed: Any = None) -> tuple[Any, ...]:
        """Seed this space and all inner spaces, and return the seeds, which can be passed to this method again.

        Args:
            seed: an integer from which all seeds are derived, a sequence of all seeds, or None for random seeds.
        """
        own, *inner = split_seeds(seed, len(self.spaces))
        return super().seed(own), *[space.seed(value) for space, value in zip(self.spaces, inner, strict=True)]

    def sample(
        self, mask: tuple[Any, ...] | None = None, probability: tuple[Any, ...] | None = None
    ) -> tuple[Any, Any]:
        """Choose an inner space at random, and return its index and a random element of this space.

        Args:
            mask: a tuple with a mask (or None) for each space, or None.
            probability: a tuple with probabilities (or None) for each space, or None.
        """
        if mask is None and probability is None:
            rng = self._np_random
            index = (self.np_random if rng is None else rng).integers(0, len(self.spaces))
            return index, self.spaces[index].sample()
        name, weights = mask_or_probability(mask, probability)
        if not isinstance(weights, tuple) or len(weights) != len(self.spaces):
            seen = f"a tuple of {len(weights)}" if isinstance(weights, tuple) else type(weights).__name__
            raise ValueError(f"OneOf expects {name} to be a tuple of length {len(self.spaces)}, got {seen}")
        index = self.np_random.integers(0, len(self.spaces), dtype=np.int64)
        return index, self.spaces[index].sample(**{name: weights[index]})

    def contains(self, x: Any) -> bool:
        """Return whether an object is a tuple of an index (int or int64) and an element of the space at this index."""
        try:
            index, element = x if isinstance(x, tuple) else (-1, None)
            index = int(index) if isinstance(index, int | np.int64) else -1
        except Exception:  # noqa: BLE001 - an arbitrary object may raise any exception
            return False
        return 0 <= index < len(self.spaces) and bool(self.spaces[index].contains(element))

    def to_jsonable(self, sample_n: Iterable[tuple[Any, Any]]) -> list[Any]:
        """Convert each element to a pair of the index and the result of the inner space's `to_jsonable`."""
        pairs = [(int(index), self.spaces[index].to_jsonable([x])) for index, x in sample_n]
        return [[index, rows[0] if _has_rows(self.spaces[index]) else rows] for index, rows in pairs]

    def from_jsonable(self, sample_n: Iterable[Any]) -> list[tuple[Any, Any]]:
        """Convert the result of `to_jsonable` back to elements."""
        pairs = [(index, [x] if _has_rows(self.spaces[index]) else x) for index, x in sample_n]
        return [(np.int64(index), self.spaces[index].from_jsonable(rows)[0]) for index, rows in pairs]

    def layout(self) -> Layout | None:
        """Return a field for the index, and a field of bytes that can hold an element of any inner space."""
        layouts = [ops.layout(space) for space in self.spaces]
        if any(layout is None for layout in layouts):
            return None
        size = max(sum(_bytes(field) for field in layout or ()) for layout in layouts)
        return (Field.of(np.int64), Field.of(np.uint8, (size,)))

    def encode(self, x: tuple[Any, Any], out: Sequence[NDArray[Any]]) -> None:
        """Store the index in the first array and the arrays of the inner element in the second."""
        index, element = x
        space = self.spaces[index]
        out[0][...] = index
        out[1][...] = 0
        space.encode(element, _arrays(space.layout(), out[1]))

    def decode(self, arrays: Sequence[NDArray[Any]]) -> tuple[Any, Any]:
        """Create an element from the array with the index and the array of bytes."""
        index = np.int64(arrays[0])
        space = self.spaces[index]
        return index, space.decode(_arrays(space.layout(), arrays[1]))

    def examples(self) -> Iterator[tuple[Any, Any]]:
        """Yield the examples of all inner spaces, each with the index of its space."""
        for index, space in enumerate(self.spaces):
            for element in examples(space):
                yield np.int64(index), element

    def parts(self) -> list[tuple[int, Any]]:
        """Return the inner spaces with their indices."""
        return list(enumerate(self.spaces))

    @classmethod
    def test_instances(cls) -> Iterator[OneOf]:
        """Yield several small spaces of this class, for use in tests and by `gymkernel check`."""
        yield cls((Box(-1, 1, (2,)), Box(0, 9, (), np.int8)))
        yield cls((Box(0, 1, (2, 2)), Tuple((Box(-1, 1, (2,)), Box(0, 9, (3,), np.int16)))))

    def to_spec(self) -> dict[str, Any]:
        """Return the inner spaces, from which `from_spec` can create this space again."""
        return {"spaces": self.spaces}

    def __getitem__(self, index: int) -> Any:
        """Return the inner space with the given index."""
        return self.spaces[index]

    def __len__(self) -> int:
        """Return the number of inner spaces."""
        return len(self.spaces)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, OneOf):
            return compare_foreign(other)
        return self.spaces == other.spaces

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"OneOf({', '.join(map(str, self.spaces))})"


def _has_rows(space: Any) -> bool:
    """Return whether a space's `to_jsonable` returns a list with one item for each element."""
    return bool(space.to_jsonable([]) == [])


def _bytes(field: Field) -> int:
    return -(-math.prod(field.shape) * field.dtype.itemsize // ALIGNMENT) * ALIGNMENT


def _arrays(layout: Layout, union: NDArray[np.uint8]) -> list[NDArray[Any]]:
    """Return the arrays that a layout describes, as views of a byte array."""
    arrays, start = [], 0
    for field in layout:
        stop = start + math.prod(field.shape) * field.dtype.itemsize
        arrays.append(union[start:stop].view(field.dtype).reshape(field.shape))
        start += _bytes(field)
    return arrays


@register_codec(OneOf)
def _codec(space: OneOf) -> Codec | None:
    """Return a codec that flattens an element to its index and the padded values of the inner element."""
    codecs = [codec(part) for part in space.spaces]
    parts = [part for part in codecs if part is not None]
    if len(parts) < len(codecs):
        return None
    size, dtype = 1 + max(part.size for part in parts), np.result_type(*[part.dtype for part in parts])
    last = len(parts) - 1
    if (dtype.kind == "b" and last > 1) or (dtype.kind in "iu" and last > np.iinfo(dtype).max):
        dtype = np.result_type(dtype, np.min_scalar_type(last))

    def writer(offset: int) -> Callable[[Any, NDArray[Any]], None]:
        bound = [(part.writer(offset + 1), offset + 1 + part.size) for part in parts]
        first, end = offset + 1, offset + size

        def write(x: tuple[Any, Any], out: NDArray[Any]) -> None:
            index, element = x
            write_part, stop = bound[index]
            out[offset] = index
            write_part(element, out)
            if first < stop < end:
                out[stop:end] = out[first]

        return write

    def reader(offset: int) -> Callable[[NDArray[Any]], tuple[Any, Any]]:
        bound = [part.reader(offset + 1) for part in parts]

        def read(x: NDArray[Any]) -> tuple[Any, Any]:
            index = np.int64(x[offset])
            return index, bound[index](x)

        return read

    return Codec(size, dtype, writer, reader)


@ops.flatten_space.register(OneOf)
def _flatten_space(space: OneOf) -> Box[Any]:
    ops.flatdim(space)  # raises an error if the length is not fixed
    whole: Any = codec(space)
    boxes = [ops.flatten_space(part) for part in space.spaces]
    sized = [box for box in boxes if box.low.size]
    low = np.full(whole.size, min((box.low.min() for box in sized), default=0), whole.dtype)
    high = np.full(whole.size, max((box.high.max() for box in sized), default=0), whole.dtype)
    low[0], high[0] = 0, len(boxes) - 1
    return Box(low, high, dtype=whole.dtype)


@ops.is_space_dtype_shape_equiv.register(OneOf)
def _is_equivalent(space_1: OneOf, space_2: Any) -> bool:
    return (
        isinstance(space_2, OneOf)
        and len(space_1) == len(space_2)
        and all(ops.is_space_dtype_shape_equiv(a, b) for a, b in zip(space_1.spaces, space_2.spaces, strict=True))
    )


ops.batch_space.register(OneOf, Tuple.of_copies)


@ops.create_empty_array.register(OneOf)
def _create_empty_array(space: OneOf, n: int | None = 1, fn: Callable[..., Any] = np.zeros) -> tuple[tuple[()], ...]:
    return () if n is None else ((),) * n


@ops.create_zero_array.register(OneOf)
def _create_zero_array(space: OneOf) -> tuple[int, Any]:
    return 0, ops.create_zero_array(space.spaces[0])
