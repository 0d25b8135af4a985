"""`Buffer`: n elements of a space in one set of arrays, private or shared between processes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import ops
from gymkernel.error import CustomSpaceError
from gymkernel_util_backend.gathering import gatherer
from gymkernel_util_backend.plan import BatchPlan
from gymkernel_util_backend.reading import BatchReader
from gymkernel_util_backend.writing import BatchWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import DTypeLike, NDArray

__all__ = ["Buffer"]

ALIGNMENT = 64
"""Bytes; the length of a cache line, so that workers writing neighbouring arrays do not slow each other."""


class Buffer:
    """Places for `n` elements of `space`, written one by one and read as one batch.

    What an element consists of is worked out once (`plan`): where every part of the batch is an array (`dense`),
    `write` assigns into those arrays and `read` hands them out. Otherwise elements are kept as they are, or, in shared
    memory, their other parts are encoded by their space's layout.

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
            if self.plan.odd:
                message = (
                    f"{space} has elements without fixed arrays, which shared memory needs; "
                    "give it a layout(), or pass shared_memory=False"
                )
                raise CustomSpaceError(message)
            self._block = context.RawArray("B", max(sum(sizes), 1))
        self._build(_allocator(self._block), shared=context is not None)

    def _build(self, allocate: Callable[..., NDArray[Any]], *, shared: bool) -> None:
        """Lay out the arrays and choose how to write and read them."""
        self.plan = plan = BatchPlan.of(self.space, shared=shared, encode=shared)
        self.dense = plan.dense and bool(plan.leaves)
        self._items: list[Any] = [None] * self.n
        self._arrays: list[NDArray[Any]] = []
        if not shared and not self.dense:
            self._batch = ops.create_empty_array(self.space, self.n)
            self.write = self._items.__setitem__
            return
        self._arrays = [allocate((self.n, *leaf.shape), leaf.dtype) for leaf in plan.leaves]
        self._reader = BatchReader(plan, self.space, self.n)
        self._batch = self._reader.batch(self._arrays, copy=False) if self.dense else None
        self._gather: Any = gatherer(plan, self.n) if self.dense else None
        if plan.tree == 0:
            self.write = self._arrays[0].__setitem__
            self._lengths = list(self._arrays[0].shape[1:2]) * self.n
        elif not plan.odd:
            self.write = BatchWriter(plan, self._arrays, self.n, self.space, check=False).put

    write: Callable[[int, Any], None]
    """`write(i, element)`: keep an element in place i."""

    def read(self) -> Any:
        """The batch of all elements: views that the next `write` changes; `snapshot` gives a batch that stays."""
        if self.dense:
            return self._batch
        if self._block is not None:
            return self._reader.batch(self._arrays, copy=False)
        self._batch = ops.concatenate(self.space, self._items, self._batch)
        return self._batch

    def snapshot(self) -> Any:
        """The batch of all elements, in arrays of its own."""
        return _copied(self.read())

    def gather(self, elements: Sequence[Any], *, fresh: bool) -> Any:
        """The batch of n elements at once, in new arrays, or in those of this buffer where not `fresh`."""
        if fresh and self.dense:
            try:
                return self._gather(elements)
            except (ArithmeticError, LookupError, TypeError, ValueError):
                pass  # what does not fit is told below
        if self.dense and self.plan.tree == 0:
            batch = np.empty_like(self._batch) if fresh else self._batch
            self._check_shapes(elements)
            if batch.ndim == 1:
                batch[...] = elements
            else:
                try:
                    np.concatenate(elements, out=batch.reshape(self.n * batch.shape[1], *batch.shape[2:]))
                except ValueError:
                    self._tell_shapes(elements)
                    raise
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
        self._tell_shapes(elements)

    def _tell_shapes(self, elements: Sequence[Any]) -> None:
        shape = self._batch.shape[1:]
        for i, element in enumerate(elements):
            if np.shape(element) != shape:
                message = f"Expected an array of shape {shape} at index {i}, got {np.shape(element)} for {self.space}"
                raise ValueError(message)

    def __getstate__(self) -> tuple[Any, int, Any, Any]:
        return (
            self.space,
            self.n,
            self._block,
            (self._arrays, self._items, self._batch) if self._block is None else None,
        )

    def __setstate__(self, state: tuple[Any, int, Any, Any]) -> None:
        self.space, self.n, self._block, private = state
        self._build(_allocator(self._block), shared=self._block is not None)
        if private is None:
            return
        arrays, self._items[:], batch = private
        if not self.dense:
            self._batch = batch
        for array, kept in zip(self._arrays, arrays, strict=True):
            array[...] = kept


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
