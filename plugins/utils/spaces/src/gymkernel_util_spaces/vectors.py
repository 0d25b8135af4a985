"""Codecs, which convert elements to parts of a vector and back, for arrays, layouts and nested spaces.

A nested element is written by a single generated function and read by another. For `{"a": array, "b": {"c": array, "d":
another element}}`, the writer is

    def made(element, out):
        r0 = element
        x = r0[v0]
        if x.__class__ is ndarray and x.dtype is v1 and x.shape == v2: out[v3] = x
        else: v4(x, out)
        r1 = r0[v5]
        ...

The reader converts adjacent arrays of the same dtype together, and returns views of the result:

    def made(vector):
        r0 = asarray(vector[v2], v3)
        r1 = {v4: r0[v5], v6: v7(vector)}
        return {v0: r0[v1], v8: r1}

The generated source code depends only on the number of parts and axes of a space. Keys, dtypes, shapes and the
functions of other spaces are passed as objects with the names v0, v1 and so on. The reasons and measurements are in the
record of decision 40.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from gymkernel import ops
from gymkernel.space import Layout, Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Write = Callable[[Any, NDArray[Any]], None]
    Read = Callable[[NDArray[Any]], Any]

__all__ = ["Array", "Codec", "Nest", "StaleCodec", "is_plain", "of_array", "of_layout", "of_parts", "refuse_stale"]


class Array(NamedTuple):
    """A description of elements that are arrays and are flattened to a vector of the same numbers.

    Attributes:
        shape: the shape of an element.
        dtype: the dtype of an element.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]


class Nest(NamedTuple):
    """A description of elements that are dicts or tuples, whose parts follow one another in the vector.

    Attributes:
        parts: the key or index of each part and its codec, in the order of the vector.
        named: whether the elements are dicts rather than tuples.
    """

    parts: list[tuple[Any, Codec]]
    named: bool


@dataclass(eq=False)
class Codec:
    """A converter between elements of a space and vectors of fixed length.

    `writer(offset)` returns a function that writes an element into a vector of zeros, starting at the offset.
    `reader(offset)` returns a function that creates an element from the numbers that start at the offset. A reader
    accepts vectors of any dtype, because the vector of a nested space may have a wider dtype. `write` and `read` are
    the functions for offset 0.

    Attributes:
        size: the length of a flattened element.
        dtype: the dtype of a flattened element.
        writer: a function that returns a writer for a given offset in the vector.
        reader: a function that returns a reader for a given offset in the vector.
        form: an `Array` or a `Nest` that describes the elements, or None if neither applies.
    """

    size: int
    dtype: np.dtype[Any]
    writer: Callable[[int], Write]
    reader: Callable[[int], Read]
    form: Array | Nest | None = None

    @cached_property
    def write(self) -> Write:
        """A function that writes an element to the beginning of a vector of zeros."""
        return self.writer(0)

    @cached_property
    def read(self) -> Read:
        """A function that creates an element from the numbers at the beginning of a vector."""
        return self.reader(0)

    @cached_property
    def flatten(self) -> Callable[[Any], NDArray[Any]]:
        """A function that converts an element to a vector."""
        size, dtype, write, zeros = self.size, self.dtype, self.write, np.zeros

        def flatten(x: Any) -> NDArray[Any]:
            out = zeros(size, dtype)
            write(x, out)
            return out

        if not isinstance(self.form, Array):
            return flatten
        shape, array = self.form.shape, np.ndarray

        def flatten_array(x: Any) -> NDArray[Any]:
            if x.__class__ is array and x.dtype is dtype and x.shape == shape:
                return x.flatten()
            return flatten(x)

        return flatten_array


class StaleCodec(RuntimeError):  # noqa: N818 - callers handle it by creating a new codec
    """Raised if a space has changed since its codec was created. Operations on spaces then create a new codec."""


def refuse_stale(space: Any) -> NoReturn:
    """Discard all plans, and raise a `StaleCodec` error because a space has changed.

    Args:
        space: the space whose arrays have changed.

    Raises:
        StaleCodec: always.
    """
    ops.changed()
    raise StaleCodec(f"{space} has changed since this codec was created; call gymkernel_util_spaces.codec.codec again")


def of_array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Codec:
    """Return the codec of a space whose elements are arrays and are flattened to the same numbers.

    Args:
        shape: the shape of an element.
        dtype: the dtype of an element and of the vector.
    """
    size, array = math.prod(shape), np.ndarray

    def writer(offset: int) -> Write:
        place = slice(offset, offset + size)

        def write(x: Any, out: NDArray[Any]) -> None:
            if x.__class__ is not array or x.dtype is not dtype:
                x = np.asarray(x, dtype)
            if x.size != size:
                raise ValueError(f"Expected an array of shape {shape}, got shape {x.shape}")
            out[place] = x if x.ndim == 1 else x.reshape(-1)

        return write

    def reader(offset: int) -> Read:
        place = slice(offset, offset + size)
        if len(shape) == 1:
            return lambda x: np.asarray(x[place], dtype)
        return lambda x: np.asarray(x[place], dtype).reshape(shape)

    return Codec(size, dtype, writer, reader, Array(shape, dtype))


def is_plain(space: Any, fields: Layout) -> bool:
    """Return whether an element is stored unchanged as the only array of the layout."""
    if len(fields) != 1 or fields[0].dtype.kind not in "biufc":
        return False
    own = [getattr(getattr(space, name, None), "__func__", None) for name in ("encode", "decode")]
    return own == [Space.encode, Space.decode]


def of_layout(space: Any, fields: Layout) -> Codec:
    """Return a codec that writes the arrays of a space's layout one after another."""
    sizes = [math.prod(field.shape) for field in fields]
    ends = list(accumulate(sizes, initial=0))
    dtype = np.result_type(*(field.dtype for field in fields)) if fields else np.dtype(float)

    def places(offset: int) -> list[Any]:
        return [(f, slice(offset + end - n, offset + end)) for f, n, end in zip(fields, sizes, ends[1:], strict=True)]

    def writer(offset: int) -> Write:
        placed = places(offset)

        def write(x: Any, out: NDArray[Any]) -> None:
            arrays = [np.zeros(field.shape, field.dtype) for field in fields]
            space.encode(x, arrays)
            for array, (_, place) in zip(arrays, placed, strict=True):
                out[place] = array.ravel()

        return write

    def reader(offset: int) -> Read:
        placed = places(offset)
        return lambda x: space.decode([np.array(x[p], f.dtype).reshape(f.shape) for f, p in placed])

    form = Array(fields[0].shape, dtype) if is_plain(space, fields) and fields[0].shape else None
    return Codec(ends[-1], dtype, writer, reader, form)


def of_parts(found: list[tuple[Any, Codec | None]], *, named: bool) -> Codec | None:
    """Return a codec for dicts (if `named`) or tuples, or None if one of their parts has no codec."""
    parts = [(key, part) for key, part in found if part is not None]
    if len(parts) < len(found):
        return None
    dtype = np.result_type(*[part.dtype for _, part in parts]) if parts else np.dtype(float)
    nest, size = Nest(parts, named), sum(part.size for _, part in parts)
    return Codec(size, dtype, partial(_writer, nest), partial(_reader, nest), nest)


class _Text:
    """The source code of a generated function, together with the objects that the code refers to."""

    def __init__(self) -> None:
        self.lines = list[str]()
        self.objects = dict[str, Any]()
        self.results = 0

    def name(self, thing: Any) -> str:
        name = f"v{len(self.objects)}"
        self.objects[name] = thing
        return name

    def result(self, expression: str) -> str:
        """Append a line that assigns an expression to a new name, and return the name."""
        name = f"r{self.results}"
        self.results += 1
        self.lines.append(f"{name} = {expression}")
        return name

    def function(self, head: str, last: str) -> Any:
        text = "\n    ".join([f"def made({head}):", *self.lines, last])
        names = {"ndarray": np.ndarray, "asarray": np.asarray, "expect": _expect, **self.objects}
        exec(_compile(text), names)  # noqa: S102 - the source code contains no user data, as the module's docstring explains
        return names["made"]


@lru_cache(maxsize=256)
def _compile(text: str) -> Any:
    return compile(text, "<gymkernel_util_spaces>", "exec")


def _expect(n: int, x: Any) -> None:
    if len(x) != n:
        raise ValueError(f"Expected an element with {n} parts, got {len(x)} parts")


def _writer(whole: Nest, offset: int) -> Any:
    """Generate a function that writes an element into a vector of zeros, starting at `offset`."""
    text = _Text()
    name = text.name

    def put_nest(nest: Nest, at: int, value: str) -> None:
        inner = text.result(value)
        if not nest.named:
            text.lines.append(f"expect({len(nest.parts)}, {inner})")
        for key, part in nest.parts:
            put(part, at, f"{inner}[{name(key)}]")
            at += part.size

    def put(codec: Codec, at: int, value: str) -> None:
        form = codec.form
        if isinstance(form, Array):
            is_exact = f"x.__class__ is ndarray and x.dtype is {name(form.dtype)} and x.shape == {name(form.shape)}"
            flat = "x" if len(form.shape) == 1 else "x.reshape(-1)"
            text.lines += [
                f"x = {value}",
                f"if {is_exact}: out[{name(slice(at, at + codec.size))}] = {flat}",
                f"else: {name(codec.writer(at))}(x, out)",
            ]
        elif isinstance(form, Nest):
            put_nest(form, at, value)
        else:
            text.lines.append(f"{name(codec.writer(at))}({value}, out)")

    put_nest(whole, offset, "element")
    return text.function("element, out", "return")


def _reader(whole: Nest, offset: int) -> Any:
    """Generate a function that creates an element from the numbers in a vector, starting at `offset`."""
    text = _Text()
    runs = groupby(_leaves(whole, offset), _dtype_key)
    values = (value for _, run in runs for value in _values(text, list(run)))

    def make(nest: Nest) -> str:
        keys = [f"{text.name(key)}: " if nest.named else "" for key, _ in nest.parts]
        inner = [make(part.form) if isinstance(part.form, Nest) else next(values) for _, part in nest.parts]
        parts = "".join([f"{key}{value}, " for key, value in zip(keys, inner, strict=True)])
        return text.result(f"{{{parts}}}" if nest.named else f"({parts})")

    result = make(whole)
    return text.function("vector", f"return {result}")


def _leaves(nest: Nest, at: int) -> Iterator[tuple[Codec, int]]:
    """Yield the codec of each part that is not a dict or tuple, together with the part's offset in the vector."""
    for _, part in nest.parts:
        if isinstance(part.form, Nest):
            yield from _leaves(part.form, at)
        else:
            yield part, at
        at += part.size


def _dtype_key(leaf: tuple[Codec, int]) -> Any:
    """Return a key for grouping adjacent parts: the dtype of an array, or a unique object for any other part."""
    form = leaf[0].form
    return form.dtype.str if isinstance(form, Array) else object()


def _values(text: _Text, run: list[tuple[Codec, int]]) -> Iterator[str]:
    """Yield expressions that read adjacent arrays of the same dtype, or a single part that is not an array."""
    codec, start = run[0]
    if not isinstance(codec.form, Array):
        yield f"{text.name(codec.reader(start))}(vector)"
        return
    stop = run[-1][1] + run[-1][0].size
    array = f"asarray(vector[{text.name(slice(start, stop))}], {text.name(codec.form.dtype)})"
    is_single = len(run) == 1
    array = array if is_single else text.result(array)
    for leaf, at in run:
        form: Any = leaf.form
        view = array if is_single else f"{array}[{text.name(slice(at - start, at - start + leaf.size))}]"
        yield view if len(form.shape) == 1 else f"{view}.reshape({text.name(form.shape)})"
