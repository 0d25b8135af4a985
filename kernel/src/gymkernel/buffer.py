"""`Buffer`: n elements of a space in one set of arrays, private or shared between processes."""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import ops
from gymkernel.error import CustomSpaceError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike, NDArray

__all__ = ["Buffer"]

ALIGNMENT = 64
"""Bytes; the length of a cache line, so that workers writing neighbouring arrays do not slow each other."""


class Buffer:
    """Places for `n` elements of `space`, written one by one and read as one batch.

    What an element consists of is worked out once: where every part of the batch is an array (`dense`), `write` assigns
    into those arrays and `read` hands them out. Otherwise elements are kept as they are, or, in shared memory, encoded
    by the space's layout.

    Args:
        space: any space whose operations are known.
        n: number of elements.
        context: a `multiprocessing` context: the arrays are then in memory that other processes share when they are
            given this object (it pickles by its space and block, under spawn too). None keeps them private.

    Raises:
        CustomSpaceError: shared memory was asked for and the space has no fixed arrays.
    """

    def __init__(self, space: Any, n: int, context: Any = None) -> None:
        self.space, self.n = space, n
        self._block: Any = None
        if context is not None:
            sizes: list[int] = []
            self._build(_allocator(None, sizes), shared=True)
            if not self.dense and self._fields is None:
                message = (
                    f"{space} has elements without fixed arrays, which shared memory needs; "
                    "give it a layout(), or pass shared_memory=False"
                )
                raise CustomSpaceError(message)
            self._block = context.RawArray("B", max(sum(sizes), 1))
        self._build(_allocator(self._block), shared=context is not None)

    def _build(self, allocate: Callable[..., NDArray[Any]], *, shared: bool) -> None:
        """Lay out the arrays and choose how to write and read them."""
        self._fields: list[NDArray[Any]] | None = None
        self._items: list[Any] = [None] * self.n
        granted: list[NDArray[Any]] = []

        def hand_out(shape: Any, dtype: DTypeLike = float) -> NDArray[Any]:
            if shared and np.dtype(dtype).hasobject:  # references mean nothing to another process
                return np.zeros(shape, dtype)
            granted.append(allocate(shape, dtype))
            return granted[-1]

        self._batch = ops.create_empty_array(self.space, self.n, hand_out)
        self._leaves = list(_leaves(self._batch, (), {id(array) for array in granted}))
        arrays = [array for _, array in self._leaves if array is not None and array.shape[:1] == (self.n,)]
        self.dense = bool(granted) and len(arrays) == len(self._leaves) == len(granted)
        if self.dense and self._leaves[0][0] == ():
            self.write = granted[0].__setitem__
            self._lengths = list(granted[0].shape[1:2]) * self.n
        elif self.dense:
            self.write = self._write_leaves
        elif not shared:
            self.write = self._items.__setitem__
        elif (layout := ops.layout(self.space)) is not None and not any(f.dtype.hasobject for f in layout):
            self._fields = [allocate((self.n, *field.shape), field.dtype) for field in layout]
            self.write = self._write_fields

    write: Callable[[int, Any], None]
    """`write(i, element)`: keep an element in place i."""

    def read(self) -> Any:
        """The batch of all elements: views that the next `write` changes; `snapshot` gives a batch that stays."""
        if self.dense:
            return self._batch
        items = self._items
        if self._fields is not None:
            items = [self.space.decode([field[i, ...] for field in self._fields]) for i in range(self.n)]
        self._batch = ops.concatenate(self.space, items, self._batch)
        return self._batch

    def snapshot(self) -> Any:
        """The batch of all elements, in arrays of its own."""
        return _copied(self.read())

    def gather(self, elements: Sequence[Any], *, fresh: bool) -> Any:
        """The batch of n elements at once, in new arrays, or in those of this buffer where not `fresh`."""
        if self.dense and self._leaves[0][0] == ():
            batch = np.empty_like(self._batch) if fresh else self._batch
            self._check_shapes(elements)
            if batch.ndim == 1:
                batch[...] = elements
            else:
                np.concatenate(elements, out=batch.reshape(self.n * batch.shape[1], *batch.shape[2:]))
            return batch
        out = ops.create_empty_array(self.space, self.n) if fresh else self._batch
        return ops.concatenate(self.space, elements, out)

    def _check_shapes(self, elements: Sequence[Any]) -> None:
        """One shape for all: arrays that are too long and too short together must not pass for right ones."""
        if len(elements) != self.n:
            message = f"Expected {self.n} elements, got {len(elements)}"
            raise ValueError(message)
        shape = self._batch.shape[1:]
        try:
            if not shape or list(map(len, elements)) == self._lengths:
                return  # the other axes are for NumPy to compare
        except TypeError:  # a number has no length
            pass
        for i, element in enumerate(elements):
            if np.shape(element) != shape:
                message = f"Expected an array of shape {shape} at index {i}, got {np.shape(element)} for {self.space}"
                raise ValueError(message)

    def _write_leaves(self, i: int, element: Any) -> None:
        for path, array in self._leaves:
            part = element
            for key in path:
                part = part[key]
            array[i] = part

    def _write_fields(self, i: int, element: Any) -> None:
        self.space.encode(element, [field[i, ...] for field in self._fields or ()])

    def __getstate__(self) -> tuple[Any, int, Any, Any]:
        return self.space, self.n, self._block, (self._batch, self._items) if self._block is None else None

    def __setstate__(self, state: tuple[Any, int, Any, Any]) -> None:
        self.space, self.n, self._block, private = state
        self._build(_allocator(self._block), shared=self._block is not None)
        if private is None:
            return
        if not self.dense:
            self._batch, self._items[:] = private
            return
        for path, array in self._leaves:
            array[...] = functools.reduce(operator.getitem, path, private[0])


def _allocator(block: Any, sizes: list[int] | None = None) -> Callable[..., NDArray[Any]]:
    """Make arrays of zeros: private ones, or one after another in a shared block; `sizes` notes what they take."""
    position = 0

    def allocate(shape: Any, dtype: DTypeLike = float) -> NDArray[Any]:
        nonlocal position
        if block is None and sizes is None:
            return np.zeros(shape, dtype)
        size = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
        start, position = position, position + -(-size // ALIGNMENT) * ALIGNMENT
        if sizes is not None:
            sizes.append(position - start)
            return np.zeros(shape, dtype)
        return np.frombuffer(block, np.uint8, size, start).view(dtype).reshape(shape)

    return allocate


def _leaves(part: Any, path: tuple[Any, ...], granted: set[int]) -> Any:
    """Yield (path, array) for the arrays of a nested batch, and (path, None) for parts that are something else."""
    if id(part) in granted:
        yield path, part
    elif isinstance(part, dict | tuple) and part:
        for key, inner in part.items() if isinstance(part, dict) else enumerate(part):
            yield from _leaves(inner, (*path, key), granted)
    else:
        yield path, None


def _copied(batch: Any) -> Any:
    """A batch with every array copied; the other parts are values."""
    if isinstance(batch, np.ndarray):
        return batch.copy()
    if isinstance(batch, dict):
        return {key: _copied(part) for key, part in batch.items()}
    if isinstance(batch, tuple):
        parts = [_copied(part) for part in batch]
        return batch._make(parts) if hasattr(batch, "_make") else tuple(parts)  # a named tuple stays one
    return batch
