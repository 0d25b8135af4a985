"""`Buffer`: store n elements of a space in one set of arrays, which may be shared between processes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from gymkernel.error import CustomSpaceError
from gymkernel_util_spaces.plans import plan_of
from gymkernel_util_vector.reading import BatchReader
from gymkernel_util_vector.writing import BatchWriter

__all__ = ["Buffer"]

ALIGNMENT = 64
"""The length of a cache line in bytes. Arrays are aligned to it, so that workers do not slow each other down."""


class _NotSharedError(CustomSpaceError, TypeError):
    """The error for a space whose elements cannot be stored in arrays of fixed size."""


class Buffer:
    """Storage for `n` elements of a space, which are written one by one and read as one batch.

    The buffer determines the structure of an element once (`plan`). If every part of the batch is an array (the plan is
    `dense`), `write` copies into these arrays and `read` returns them. Otherwise the other parts are kept as objects,
    or, in shared memory, encoded by the layout of their space.

    Args:
        space: any space with registered operations.
        n: the number of elements.
        context: a `multiprocessing` context, which puts the arrays into shared memory. Other processes that receive
            this object share the memory, even with the "spawn" start method. None keeps the arrays private.

    Raises:
        CustomSpaceError: if a context was given, but elements of the space cannot be stored in arrays of fixed size.
            The error is also a TypeError, which programs written for Gymnasium expect for Graph and Sequence.
    """

    def __init__(self, space: Any, n: int, context: Any = None) -> None:
        self.space, self.n = space, n
        self._block: Any = None
        if context is not None:
            plan = plan_of(space).batch()
            if plan.object_parts:
                raise _NotSharedError(
                    f"{space} has elements without fixed arrays, which shared memory needs; "
                    "give it a layout(), or pass shared_memory=False"
                )
            self._block = context.RawArray("B", max(plan.place(n, 0, ALIGNMENT)[1], 1))
        self._build()

    def _build(self) -> None:
        """Create the arrays, the writer and the reader."""
        shared = self._block is not None
        self.plan = plan = plan_of(self.space).batch(shared=shared, encode=shared)
        memory = memoryview(self._block) if shared else None
        self._arrays = plan.arrays(self.n, memory, plan.place(self.n, 0, ALIGNMENT)[0])
        self.dense = plan.dense and bool(plan.leaves)
        self._reader = BatchReader(plan, self.space, self.n)
        self._batch = self._reader.batch(self._arrays, copy=False) if self.dense else None
        self._own = self._arrays
        self.__dict__.pop("write", None)

    @cached_property
    def write(self) -> Callable[[int, Any], None]:
        """The function `write(i, element)`, which stores an element at position i."""
        if self.plan.tree == 0:
            return self._arrays[0].__setitem__
        parts = self._reader.object_parts
        return BatchWriter(self.plan, self._arrays, self.n, self.space, check=False, object_parts=parts).put

    def move(self, arrays: Sequence[Any] | None) -> None:
        """Use other arrays from now on. The previous arrays remain unchanged.

        Args:
            arrays: contiguous arrays with n rows, one for each array in `plan`; None for the buffer's initial arrays.

        Raises:
            ValueError: if an array differs in shape or dtype from the array that it replaces, or a part of an element
                is not an array.
        """
        if not self.dense:
            raise ValueError(f"Expected a space whose batches are arrays alone, got {self.space}")
        targets = self._own if arrays is None else arrays
        self._checked.move(targets)
        self._arrays = list(targets)
        self._batch = self._reader.batch(self._arrays, copy=False)
        self.__dict__.pop("write", None)

    @cached_property
    def _checked(self) -> BatchWriter:
        """The writer that checks each element before storing it."""
        return BatchWriter(self.plan, self._arrays, self.n, self.space, object_parts=self._reader.object_parts)

    def read(self) -> Any:
        """Return the batch of all elements as views, which later calls of `write` change; see `snapshot`."""
        return self._batch if self.dense else self._reader.batch(self._arrays, copy=False)

    def snapshot(self) -> Any:
        """Return a copy of the batch of all elements."""
        return self._reader.batch(self._arrays, copy=True)

    def gather(self, elements: Sequence[Any], *, fresh: bool) -> Any:
        """Return the batch of n elements, in new arrays or in the arrays of this buffer.

        Elements must fit the space. Arrays must have the right shape, and numbers must keep their values when they are
        converted to the dtype of the space, except that a float type of lower precision may round them. Bounds are not
        checked.

        Args:
            elements: n elements of the space, in order.
            fresh: whether to create the batch in new arrays. Otherwise, the next call overwrites it.

        Raises:
            ObservationMismatch: if an element does not fit the space. The message contains the element's index.
            ValueError: if the number of elements is not n.
        """
        if len(elements) != self.n:
            raise ValueError(f"Expected {self.n} elements, got {len(elements)}")
        if fresh:
            try:
                return self.join(elements)
            except Exception:  # noqa: BLE001, S110 - `place` reports the element that does not fit
                pass
        return self.place(elements, fresh=fresh)

    @cached_property
    def join(self) -> Callable[[Sequence[Any]], Any]:
        """The function `join(elements)`, which returns a new batch, or raises if an element must be converted."""
        return self._checked.gather

    def place(self, elements: Sequence[Any], *, fresh: bool) -> Any:
        """Store n elements one by one if necessary, and return their batch.

        Args:
            elements: n elements of the space, in order.
            fresh: whether to create the batch in new arrays. Otherwise, the next call overwrites it.

        Raises:
            ObservationMismatch: if an element does not fit the space.
        """
        try:
            self._checked.fill(elements)
        except Exception:  # noqa: BLE001 - `put` reports the element that does not fit
            for i, element in enumerate(elements):
                self._checked.put(i, element)
        return self._reader.batch(self._arrays, copy=True) if fresh else self.read()

    def check(self, i: int, element: Any) -> None:
        """Check an element and store it at position i.

        Args:
            i: the index of the environment, which also appears in error messages.
            element: the environment's observation.
        """
        self._checked.put(i, element)

    def __getstate__(self) -> tuple[Any, int, Any, Any]:
        private = (self._arrays, self._reader.object_parts) if self._block is None else None
        return self.space, self.n, self._block, private

    def __setstate__(self, state: tuple[Any, int, Any, Any]) -> None:
        self.space, self.n, self._block, private = state
        self._build()
        if private is None:
            return
        for array, kept in zip(self._arrays, private[0], strict=True):
            array[...] = kept
        for column, parts in zip(self._reader.object_parts, private[1], strict=True):
            column[:] = parts
