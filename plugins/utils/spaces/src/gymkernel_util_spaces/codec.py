"""`codec`: how elements of a space become part of one vector, worked out once per space instead of at every call.

`flatten` and `unflatten` of a nested space are one walk over its codec: every leaf writes straight into its place of
the one vector. A space that has a faster way than its `flatten` registers it beside its class, `@register(MySpace)`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gymkernel import ops
from gymkernel.ops import batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

    Write = Callable[[Any, NDArray[Any]], None]
    Read = Callable[[NDArray[Any]], Any]

__all__ = ["Array", "Codec", "Nest", "batch", "codec", "compose", "flatten_all", "forget", "is_side_by_side"]
__all__ += ["of_array", "register", "unflatten_all"]


class Array(NamedTuple):
    """Elements are arrays and flatten to their numbers."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class Nest(NamedTuple):
    """Elements are dicts (`named`) or tuples of parts, which are side by side in the vector; by key or index."""

    parts: list[tuple[Any, Codec]]
    named: bool


@dataclass(frozen=True)
class Codec:
    """The length and dtype of a flattened element, and how it is written and read.

    `writer(offset)` makes a function that writes an element into a vector of zeros from `offset` on, `reader(offset)`
    one that makes an element of what stands there. A reader takes vectors of any dtype, since that of a nested space is
    wider. `write` and `read` are these functions for the offset 0. `form` says what an element is, where it is known.
    """

    size: int
    dtype: np.dtype[Any]
    writer: Callable[[int], Write]
    reader: Callable[[int], Read]
    form: Array | Nest | None = None

    @cached_property
    def write(self) -> Write:
        """Write an element into the beginning of a vector of zeros."""
        return self.writer(0)

    @cached_property
    def read(self) -> Read:
        """Make an element of the beginning of a vector."""
        return self.reader(0)

    def flatten(self, x: Any) -> NDArray[Any]:
        """An element as a vector."""
        out = np.zeros(self.size, self.dtype)
        self.write(x, out)
        return out


@dataclass(frozen=True, slots=True)
class _Known:
    """What a space keeps; in a copy or a pickle it is None, so that a copy works it out for itself."""

    generation: int
    codec: Codec | None

    def __reduce__(self) -> Any:
        return type(None), ()


_makers: dict[type, Callable[[Any], Codec | None]] = {}
_generation = 0


def forget() -> None:
    """Work out every codec again at its next use: a space was changed."""
    global _generation  # noqa: PLW0603 - a change of one space concerns all that contain it
    _generation += 1


def register(cls: type) -> Callable[[Callable[[Any], Codec | None]], Callable[[Any], Codec | None]]:
    """Register the function that makes the codec of a class; it must agree with the `flatten` of that class."""

    def decorate(maker: Callable[[Any], Codec | None]) -> Callable[[Any], Codec | None]:
        _makers[cls] = maker
        return maker

    return decorate


def codec(space: Any) -> Codec | None:
    """The codec of a space; None where its elements have no fixed length."""
    known: _Known | None = getattr(space, "_codec", None)
    if known is not None and known.generation == _generation:
        return known.codec
    made = _make(space)
    if hasattr(type(space), "_codec"):  # a space of another library stays as it is
        space._codec = _Known(_generation, made)  # noqa: SLF001 - declared by `Space`
    return made


def _make(space: Any) -> Codec | None:
    cls = type(space)
    owner = next((base for base in cls.__mro__ if base in _makers), None)
    operations = (ops.flatdim, ops.flatten, ops.unflatten)
    if owner is not None and all(one.dispatch(cls) is one.dispatch(owner) for one in operations):
        return _makers[owner](space)
    if not getattr(space, "is_np_flattenable", False):
        return None
    size, dtype = ops.flatdim(space), ops.flatten_space(space).dtype
    flatten, unflatten = ops.flatten.dispatch(cls), ops.unflatten.dispatch(cls)

    def writer(offset: int) -> Write:
        place = slice(offset, offset + size)

        def write(x: Any, out: NDArray[Any]) -> None:
            out[place] = flatten(space, x)

        return write

    def reader(offset: int) -> Read:
        place = slice(offset, offset + size)
        return lambda x: unflatten(space, np.asarray(x[place], dtype))

    return Codec(size, dtype, writer, reader)


def of_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Codec:
    """The codec of a space whose elements are arrays and flatten to their numbers."""
    size, array = math.prod(shape), np.ndarray

    def writer(offset: int) -> Write:
        place = slice(offset, offset + size)

        def write(x: Any, out: NDArray[Any]) -> None:
            if x.__class__ is not array or x.dtype is not dtype:
                x = np.asarray(x, dtype)
            if x.size != size:
                message = f"Expected an array of shape {shape}, got {x.shape}"
                raise ValueError(message)
            out[place] = x if x.ndim == 1 else x.reshape(-1)

        return write

    def reader(offset: int) -> Read:
        place = slice(offset, offset + size)
        if len(shape) == 1:
            return lambda x: np.asarray(x[place], dtype)
        return lambda x: np.asarray(x[place], dtype).reshape(shape)

    return Codec(size, dtype, writer, reader, Array(shape, dtype))


def compose(spaces: dict[Any, Any] | tuple[Any, ...]) -> Codec | None:
    """The codec of several spaces side by side, whose elements are dicts or tuples; None where one has none."""
    named = isinstance(spaces, dict)
    items = spaces.items() if isinstance(spaces, dict) else enumerate(spaces)
    found = [(key, codec(space)) for key, space in items]
    parts = [(key, part) for key, part in found if part is not None]
    if len(parts) < len(found):
        return None

    def placed(offset: int, kind: str) -> list[tuple[Any, Any]]:
        bound = []
        for key, part in parts:
            bound.append((key, getattr(part, kind)(offset)))
            offset += part.size
        return bound

    def writer(offset: int) -> Write:
        bound = placed(offset, "writer")

        def write(x: Any, out: NDArray[Any]) -> None:
            for key, write_part in bound:
                write_part(x[key], out)

        return write if named else _of_length(len(bound), write)

    def reader(offset: int) -> Read:
        bound = placed(offset, "reader")
        if named:
            return lambda x: {key: read(x) for key, read in bound}
        return lambda x: tuple([read(x) for _, read in bound])

    dtype = np.result_type(*[part.dtype for _, part in parts]) if parts else np.dtype(float)
    return Codec(sum(part.size for _, part in parts), dtype, writer, reader, Nest(parts, named))


def _of_length(n: int, write: Write) -> Write:
    def write_all(x: Any, out: NDArray[Any]) -> None:
        if len(x) != n:
            message = f"Expected an element with {n} parts, got {len(x)}"
            raise ValueError(message)
        write(x, out)

    return write_all


def flatten_all(space: Any, elements: Iterable[Any]) -> Any:
    """The flattened elements as one batch: the rows of an array where they have one length."""
    rows = list(elements)
    whole = codec(space)
    if whole is None:
        flat, flatten = ops.flatten_space(space), ops.flatten.dispatch(type(space))
        return batch(flat, [flatten(space, x) for x in rows])
    out = np.zeros((len(rows), whole.size), whole.dtype)
    for x, row in zip(rows, out, strict=True):
        whole.write(x, row)
    return out


def unflatten_all(space: Any, flat: Any) -> Any:
    """The batch of elements whose flattened batch is `flat`."""
    whole = codec(space)
    if whole is None:
        rows = ops.iterate(ops.batch_space(ops.flatten_space(space), 1), flat)
        return batch(space, [ops.unflatten(space, row) for row in rows])
    return batch(space, [whole.read(row) for row in flat])


def is_side_by_side(space: Any, batched: Any) -> bool:
    """Whether the batch of a space, or of a part of it, is copies of that space, so that it depends on their number."""
    outer = [part for _, part in batched.parts()] if hasattr(batched, "parts") else []
    inner = [part for _, part in space.parts()] if hasattr(space, "parts") else []
    return bool(outer and outer[0] == space) or any(map(is_side_by_side, inner, outer))
