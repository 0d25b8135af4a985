"""Store elements of a space in shared memory: the implementations of three operations in `gymkernel.ops`."""

from __future__ import annotations

import math
import multiprocessing
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import ops
from gymkernel_util_spaces.plans import plan_of
from gymkernel_util_vector.buffer import Buffer

if TYPE_CHECKING:
    from gymkernel_util_spaces.batches import Leaf

__all__ = ["create_shared_memory", "read_from_shared_memory", "write_to_shared_memory"]


def create_shared_memory(space: Any, n: int = 1, ctx: Any = None) -> Any:
    """Create memory for n elements: an `Array` if elements are arrays or numbers; otherwise, a `Buffer`.

    Args:
        space: a space whose elements have a fixed size. `Dict` and `Tuple` are excluded, because each of their parts
            has memory of its own.
        n: the number of elements.
        ctx: a `multiprocessing` context; None for the default context.

    >>> from gymkernel.space import Field, Space
    >>> class Pair(Space):
    ...     def layout(self):
    ...         return (Field.of(float, (2,)),)
    >>> memory = create_shared_memory(Pair(), 3)
    >>> write_to_shared_memory(Pair(), 1, [4, 5], memory)
    >>> read_from_shared_memory(Pair(), memory, 3)[1]
    array([4., 5.])
    """
    context = ctx or multiprocessing.get_context()
    leaf = _leaf(space)
    if leaf is None:
        return Buffer(space, n, context)
    size = n * math.prod(leaf.shape)
    try:
        return context.Array(np.ctypeslib.as_ctypes_type(leaf.dtype), size)
    except NotImplementedError:  # C has no such type, for example a two-byte float
        return context.Array("B", size * leaf.dtype.itemsize)


def read_from_shared_memory(space: Any, shared_memory: Any, n: int = 1) -> Any:
    """Return the batch of all elements as views of the memory.

    Args:
        space: the space to which a single element belongs.
        shared_memory: the result of `create_shared_memory`, or an `Array` with the same type and size.
        n: the number of elements.
    """
    rows = _rows(space, shared_memory, n)
    return shared_memory.read() if rows is None else rows[:n]


def write_to_shared_memory(space: Any, index: int, value: Any, shared_memory: Any) -> None:
    """Write an element to the given index.

    Args:
        space: the space to which a single element belongs.
        index: the element's index, starting from 0.
        value: an element of the space.
        shared_memory: the result of `create_shared_memory`, or an `Array` with the same type and size.
    """
    rows = _rows(space, shared_memory, index + 1)
    if rows is None:
        shared_memory.write(index, value)
    else:
        rows[index] = value


def _rows(space: Any, memory: Any, n: int) -> Any:
    """Return an `Array` as a batch, or None for a `Buffer`. If elements have size 0, the batch has n elements."""
    block = getattr(memory, "get_obj", None)
    leaf = None if block is None else _leaf(space)
    if leaf is not None:
        held = memoryview(block())  # type: ignore[misc]
        each = math.prod(leaf.shape) * leaf.dtype.itemsize
        return np.ndarray((held.nbytes // each if each else n, *leaf.shape), leaf.dtype, held)
    if not (isinstance(memory, Buffer) and type(memory.space) is type(space)):
        ops.create_shared_memory(space, 0)  # raises an error if the space does not support shared memory
        raise TypeError(f"Expected the result of create_shared_memory for {space}, got {memory!r}")
    return None


def _leaf(space: Any) -> Leaf | None:
    """Return the description of a batch's array, or None if a batch is not an array of numbers."""
    plan = plan_of(space).batch()
    return plan.leaves[0] if plan.dense and plan.tree == 0 else None
