"""`Buffer`: n elements of a space in one set of arrays, private or shared between processes."""

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
"""Bytes; the length of a cache line, so that workers writing neighbouring arrays do not slow each other."""


class _NotSharedError(CustomSpaceError, TypeError):
    """A space has no fixed arrays."""


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
        CustomSpaceError: shared memory was asked for and the space has no fixed arrays; it is a TypeError, too, which
            is what programs written for Gymnasium expect of Graph and Sequence.
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
        """Lay out the arrays and choose how to write and read them."""
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
        """`write(i, element)`: keep an element in place i."""
        if self.plan.tree == 0:
            return self._arrays[0].__setitem__
        parts = self._reader.object_parts
        return BatchWriter(self.plan, self._arrays, self.n, self.space, check=False, object_parts=parts).put

    def move(self, arrays: Sequence[Any] | None) -> None:
        """Write into other arrays from now on, and read from them; those of before stay as they are.

        Args:
            arrays: for each leaf of `plan`, one that is contiguous, with n rows of its shape; None for those that this
                buffer had at first.

        Raises:
            ValueError: an array is not like those of before, or elements have parts that no array holds.
        """
        if not self.dense:
            raise ValueError(f"Expected a space whose batches are arrays alone, got {self.space}")
        given = self._own if arrays is None else arrays
        self._checked.move(given)
        self._arrays = list(given)
        self._batch = self._reader.batch(self._arrays, copy=False)
        self.__dict__.pop("write", None)

    @cached_property
    def _checked(self) -> BatchWriter:
        """Writes into the same places, after a look at what it writes."""
        return BatchWriter(self.plan, self._arrays, self.n, self.space, object_parts=self._reader.object_parts)

    def read(self) -> Any:
        """The batch of all elements: views that the next `write` changes; `snapshot` gives a batch that stays."""
        return self._batch if self.dense else self._reader.batch(self._arrays, copy=False)

    def snapshot(self) -> Any:
        """The batch of all elements, in arrays of its own."""
        return self._reader.batch(self._arrays, copy=True)

    def gather(self, elements: Sequence[Any], *, fresh: bool) -> Any:
        """The batch of n elements at once, in new arrays, or in those of this buffer where not `fresh`.

        Only what fits is taken: arrays of the right shape, and numbers that stay the same in the dtype of the space,
        but for the digits that a shorter float loses. Bounds are not looked at.

        Args:
            elements: n elements of the space, in order.
            fresh: whether the batch is in new arrays; otherwise the next call overwrites it.

        Raises:
            ObservationMismatch: an element is not as the space says; the message names its index, the environment's.
            ValueError: there are not n elements.
        """
        if len(elements) != self.n:
            raise ValueError(f"Expected {self.n} elements, got {len(elements)}")
        if fresh:
            try:
                return self.join(elements)
            except Exception:  # noqa: BLE001, S110 - `place` names the element that does not fit
                pass
        return self.place(elements, fresh=fresh)

    @cached_property
    def join(self) -> Callable[[Sequence[Any]], Any]:
        """`join(elements)`: make the batch of n elements in new arrays; raise where an element does not plainly fit."""
        return self._checked.gather

    def place(self, elements: Sequence[Any], *, fresh: bool) -> Any:
        """Keep n elements, and return their batch, as `gather` does.

        Args:
            elements: n elements of the space, in order.
            fresh: whether the batch is in new arrays; otherwise the next call overwrites it.

        Raises:
            ObservationMismatch: as of `gather`.
        """
        try:
            self._checked.fill(elements)
        except Exception:  # noqa: BLE001 - `put` names the element that does not fit
            for i, element in enumerate(elements):
                self._checked.put(i, element)
        return self._reader.batch(self._arrays, copy=True) if fresh else self.read()

    def check(self, i: int, element: Any) -> None:
        """Raise as `gather` does, of one element; place i is changed.

        Args:
            i: the index of the environment, which the message names.
            element: what it returned.
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
