"""The class `Buffer`, which stores n elements of a space in arrays that processes can share."""

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
"""The length of a cache line in bytes. Arrays are aligned to cache lines, so that workers do not slow each other
down."""


class _NotSharedError(CustomSpaceError, TypeError):
    """Raised if the elements of a space cannot be stored in arrays of fixed size."""


class Buffer:
    """A store for `n` elements of a space, which are written one by one and read as a batch.

    The structure of an element is determined only once (`plan`). If every part of the batch is an array (the plan is
    `dense`), `write` copies elements into these arrays, and `read` returns the arrays. Otherwise, the remaining parts
    are stored as objects or, in shared memory, as encoded by the layout of their space.

    Args:
        space: a space with registered operations.
        n: the number of elements.
        context: a `multiprocessing` context, or None. With a context, the arrays are in shared memory, and processes
            that receive this object share the memory, even with the "spawn" start method. With None, the arrays are
            private.

    Raises:
        CustomSpaceError: if a context is given, but the elements of the space cannot be stored in arrays of fixed size.
            The error is also a TypeError, which programs written for Gymnasium expect for Graph and Sequence.
    """

    def __init__(self, space: Any, n: int, context: Any = None) -> None:
        self.space, self.n = space, n
        self._block: Any = None
        if context is not None:
            plan = plan_of(space).batch()
            if plan.object_parts:
                raise _NotSharedError(
                    f"the elements of {space} cannot be stored in arrays of fixed size, which shared memory requires; "
                    "define layout() for the space, or pass shared_memory=False"
                )
            self._block = context.RawArray("B", max(plan.place(n, 0, ALIGNMENT)[1], 1))
        self._build()

    def _build(self) -> None:
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
        """A function that stores an element: `write(i, element)` stores it at position i."""
        if self.plan.tree == 0:
            return self._arrays[0].__setitem__
        parts = self._reader.object_parts
        return BatchWriter(self.plan, self._arrays, self.n, self.space, check=False, object_parts=parts).put

    def move(self, arrays: Sequence[Any] | None) -> None:
        """Switch to other arrays. The contents of the previous arrays are not copied.

        Args:
            arrays: contiguous arrays with n rows, one for each array in `plan`. None switches back to the buffer's
                initial arrays.

        Raises:
            ValueError: if an array differs in shape or dtype from the array that it replaces, or if a part of an
                element is not stored in an array.
        """
        if not self.dense:
            raise ValueError(f"Expected a space whose batches consist only of arrays, got {self.space}")
        targets = self._own if arrays is None else arrays
        self._checked.move(targets)
        self._arrays = list(targets)
        self._batch = self._reader.batch(self._arrays, copy=False)
        self.__dict__.pop("write", None)

    @cached_property
    def _checked(self) -> BatchWriter:
        """A writer that checks each element before storing it."""
        return BatchWriter(self.plan, self._arrays, self.n, self.space, object_parts=self._reader.object_parts)

    def read(self) -> Any:
        """Return all elements as a batch of views of the arrays. Later calls to `write` change the batch."""
        return self._batch if self.dense else self._reader.batch(self._arrays, copy=False)

    def snapshot(self) -> Any:
        """Return a copy of all elements as a batch."""
        return self._reader.batch(self._arrays, copy=True)

    def gather(self, elements: Sequence[Any], *, fresh: bool) -> Any:
        """Check n elements, and return them as a batch.

        The elements must fit the space. Arrays must have the right shape, and a conversion to the dtype of the space
        must not change numbers, except that floats may be rounded. Bounds are not checked.

        Args:
            elements: n elements of the space, in order.
            fresh: whether to return the batch in new arrays. Otherwise, it is stored in the buffer's arrays, and the
                next call overwrites it.

        Raises:
            ObservationMismatch: if an element does not fit the space. The message contains the element's index.
            ValueError: if the number of elements is not n.
        """
        if len(elements) != self.n:
            raise ValueError(f"Expected {self.n} elements, got {len(elements)}")
        if fresh:
            try:
                return self.join(elements)
            except Exception:  # noqa: BLE001, S110 - `place` raises a precise error
                pass
        return self.place(elements, fresh=fresh)

    @cached_property
    def join(self) -> Callable[[Sequence[Any]], Any]:
        """A function that creates a new batch from elements, or raises an error if an element must be converted."""
        return self._checked.gather

    def place(self, elements: Sequence[Any], *, fresh: bool) -> Any:
        """Check n elements, one by one if necessary, and return them as a batch.

        Args:
            elements: n elements of the space, in order.
            fresh: whether to return the batch in new arrays. Otherwise, it is stored in the buffer's arrays, and the
                next call overwrites it.

        Raises:
            ObservationMismatch: if an element does not fit the space.
        """
        try:
            self._checked.fill(elements)
        except Exception:  # noqa: BLE001 - `put` raises a precise error
            for i, element in enumerate(elements):
                self._checked.put(i, element)
        return self._reader.batch(self._arrays, copy=True) if fresh else self.read()

    def check(self, i: int, element: Any) -> None:
        """Check an element, and store it at position i.

        Args:
            i: the position, which is the index of the environment. Error messages contain the index.
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
