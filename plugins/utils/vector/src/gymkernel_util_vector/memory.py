"""Functions that store elements of a space in shared memory. They implement three operations of `gymkernel.ops`."""

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
    """Create shared memory for n elements.

    Args:
        space: a space whose elements have a fixed size. It must not be a Dict or Tuple, because each of their inner
            spaces has memory of its own.
        n: the number of elements.
        ctx: a `multiprocessing` context, or None for the default context.

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
    except NotImplementedError:
        # The module ctypes has no such type. For example, it has no two-byte float.
        return context.Array("B", size * leaf.dtype.itemsize)


def read_from_shared_memory(space: Any, shared_memory: Any, n: int = 1) -> Any:
    """Return all elements as a batch of views of shared memory.

    Args:
        space: the space that each element belongs to.
        shared_memory: the result of `create_shared_memory`, or an `Array` of the same type and size.
        n: the number of elements.
    """
    rows = _rows(space, shared_memory, n)
    return shared_memory.read() if rows is None else rows[:n]


def write_to_shared_memory(space: Any, index: int, value: Any, shared_memory: Any) -> None:
    """Write an element of a space into shared memory.

    Args:
        space: the space that each element belongs to.
        index: the index of the element, starting at 0.
        value: an element of the space.
        shared_memory: the result of `create_shared_memory`, or an `Array` of the same type and size.
    """
    rows = _rows(space, shared_memory, index + 1)
    if rows is None:
        shared_memory.write(index, value)
    else:
        rows[index] = value


def _rows(space: Any, memory: Any, n: int) -> Any:
    """Return the batch in an `Array`, or None for a `Buffer`. If elements have size 0, the batch has n elements."""
    block = getattr(memory, "get_obj", None)
    leaf = None if block is None else _leaf(space)
    if leaf is not None:
        held = memoryview(block())  # type: ignore[misc]
        each = math.prod(leaf.shape) * leaf.dtype.itemsize
        return np.ndarray((held.nbytes // each if each else n, *leaf.shape), leaf.dtype, held)
    if not (isinstance(memory, Buffer) and type(memory.space) is type(space)):
        # This call raises a clearer error if the space does not support shared memory.
        ops.create_shared_memory(space, 0)
        raise TypeError(f"Expected the result of create_shared_memory for {space}, got {memory!r}")
    return None


def _leaf(space: Any) -> Leaf | None:
    """Return the description of the array that is a batch, or None if a batch is not a single array."""
    plan = plan_of(space).batch()
    return plan.leaves[0] if plan.dense and plan.tree == 0 else None
