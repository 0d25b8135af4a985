"""`SharedPlaces`: elements of a space in the memory that `create_shared_memory` makes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.ops import create_shared_memory
from gymkernel_util_spaces.plans import plan_of
from gymkernel_util_vector.buffer import Buffer

if TYPE_CHECKING:
    from gymkernel_util_spaces.batches import Leaf

__all__ = ["SharedPlaces"]


class SharedPlaces:
    """Reads and writes elements of a space in memory that `allocate` made.

    Args:
        space: any space but a `Dict` or `Tuple`, whose memory is that of their parts.
        memory: what was made for it, or an `Array` of `multiprocessing` of the same numbers.
        n: number of elements; only those that take no memory are counted by it.

    Raises:
        CustomSpaceError: there is no such memory for the space.
        TypeError: the memory is none of the space.

    >>> import multiprocessing
    >>> from gymkernel import Space
    >>> from gymkernel.spaces import Field
    >>> class Pair(Space):
    ...     def layout(self):
    ...         return (Field.of(float, (2,)),)
    >>> memory = SharedPlaces.allocate(Pair(), 3, multiprocessing)
    >>> SharedPlaces(Pair(), memory).write(1, [4, 5])
    >>> SharedPlaces(Pair(), memory).read()[1]
    array([4., 5.])
    """

    def __init__(self, space: Any, memory: Any, n: int = 1) -> None:
        self._memory, self._n, self._rows = memory, n, _rows(space, memory, n)
        if self._rows is None and not (isinstance(memory, Buffer) and type(memory.space) is type(space)):
            create_shared_memory(space, 0)  # it raises where there is none for such a space
            raise TypeError(f"Expected what create_shared_memory made for {space}, got {memory!r}")

    @staticmethod
    def allocate(space: Any, n: int, context: Any) -> Any:
        """Memory for n elements: an `Array` where these are arrays or numbers, else a `Buffer`.

        Args:
            space: any space with elements of a fixed size.
            n: number of elements.
            context: `multiprocessing` or a context of it.
        """
        leaf = _leaf(space)
        if leaf is None:
            return Buffer(space, n, context)
        size = n * math.prod(leaf.shape)
        try:
            return context.Array(np.ctypeslib.as_ctypes_type(leaf.dtype), size)
        except NotImplementedError:  # C has no such numbers, of two bytes for example
            return context.Array("B", size * leaf.dtype.itemsize)

    def read(self) -> Any:
        """The batch of the elements: views of the memory."""
        return self._memory.read() if self._rows is None else self._rows[: self._n]

    def write(self, index: int, value: Any) -> None:
        """Put an element into a place.

        Args:
            index: the place, from 0 on.
            value: an element of the space.
        """
        if self._rows is None:
            self._memory.write(index, value)
        else:
            self._rows[index] = value


def _rows(space: Any, memory: Any, n: int) -> Any:
    """What an `Array` holds, element by element: n of those that take no memory; None of other memory."""
    block = getattr(memory, "get_obj", None)
    leaf = None if block is None else _leaf(space)
    if leaf is None:
        return None
    held = memoryview(block())  # type: ignore[misc]
    each = math.prod(leaf.shape) * leaf.dtype.itemsize
    return np.ndarray((held.nbytes // each if each else n, *leaf.shape), leaf.dtype, held)


def _leaf(space: Any) -> Leaf | None:
    """The array that a batch is, by the plan of the space; None where it is no array of numbers."""
    plan = plan_of(space).batch()
    return plan.leaves[0] if plan.dense and plan.tree == 0 else None
