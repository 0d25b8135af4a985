"""The function `batch_flattener`, which creates functions that flatten whole batches at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import ops
from gymkernel_space_box import Box
from gymkernel_space_discrete import Discrete
from gymkernel_util_spaces.codec import codec, flatten_all
from gymkernel_util_spaces.plans import plan_of
from gymkernel_util_spaces.vectors import StaleCodec

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Write = Callable[[Any, NDArray[Any]], None]

__all__ = ["batch_flattener"]


def batch_flattener(space: Any, n: int) -> Callable[[Any], Any]:
    """Return a function that flattens a batch of n elements at once.

    Args:
        space: the space that each element belongs to. The space may come from any library.
        n: the number of elements in a batch.

    Returns:
        A function that takes an element of `batch_space(space, n)` and returns a new array of shape (n,
        flatdim(space)). If the length of flattened elements varies, the function returns an element of
        `batch_space(flatten_space(space), n)` instead.

    >>> flatten = batch_flattener(Box(0, 1, (2, 2)), 3)
    >>> flatten(np.zeros((3, 2, 2), np.float32)).shape
    (3, 4)
    """
    plan, once = plan_of(space), _flattener(space, n)

    def flatten(batch: Any) -> Any:
        nonlocal plan, once
        if plan.version != ops.version and not plan.is_current():
            plan, once = plan_of(space), _flattener(space, n)
        try:
            return once(batch)
        except StaleCodec:
            return flatten(batch)

    return flatten


def _flattener(space: Any, n: int) -> Callable[[Any], Any]:
    """Return a function that flattens a batch of n elements. It is valid until the space changes."""
    space_codec = codec(space)
    if space_codec is None:
        batched = ops.batch_space(space, n)
        return lambda batch: flatten_all(space, ops.iterate(batched, batch))
    columns = list(_columns(space, n, 0, ()))
    shape, dtype = (n, space_codec.size), space_codec.dtype

    def flatten(batch: Any) -> NDArray[Any]:
        out = np.zeros(shape, dtype)
        for path, write in columns:
            part = batch
            for key in path:
                part = part[key]
            write(part, out)
        return out

    return flatten


def _columns(space: Any, n: int, offset: int, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Write]]:
    """Yield the path of each array in a batch, and a function that writes the array into the flattened batch."""
    parts = _parts(space)
    if parts is None:
        yield path, _writer(space, n, offset)
        return
    for key, part in parts:
        yield from _columns(part, n, offset, (*path, key))
        offset += ops.flatdim(part)


def _is(space: Any, cls: type) -> bool:
    """Return whether a space is flattened like a `cls` space. Classes from other libraries are compared by name."""
    if isinstance(space, cls):
        return ops.flatten.dispatch(type(space)) is ops.flatten.dispatch(cls)
    return type(space).__name__ == cls.__name__


def _parts(space: Any) -> Iterable[tuple[Any, Any]] | None:
    """Return the inner spaces of a Dict or Tuple with their keys, or None for any other space."""
    # The comparison excludes subclasses, which may be flattened differently.
    kind = type(space).__name__
    if kind == "Dict":
        return space.spaces.items()  # type: ignore[no-any-return]
    return enumerate(space.spaces) if kind == "Tuple" else None


def _writer(space: Any, n: int, offset: int) -> Write:
    size = ops.flatdim(space)
    columns = slice(offset, offset + size)
    if _is(space, Box):

        def write_array(part: Any, out: NDArray[Any]) -> None:
            out[:, columns] = part.reshape(n, size)

        return write_array
    if _is(space, Discrete):
        rows, first = np.arange(n), offset - int(space.start)

        def write_hot(part: Any, out: NDArray[Any]) -> None:
            out[rows, part + first] = 1

        return write_hot
    return _row_writer(space, n, offset)


def _row_writer(space: Any, n: int, offset: int) -> Write:
    space_codec = codec(space)
    assert space_codec is not None  # noqa: S101 - the outer space has a codec, so each inner space also has one
    write_one, batched = space_codec.writer(offset), ops.batch_space(space, n)

    def write(part: Any, out: NDArray[Any]) -> None:
        for x, row in zip(ops.iterate(batched, part), out, strict=True):
            write_one(x, row)

    return write
