"""The `Table` class, which stores one batch per time step in arrays of shape (time, environment, ...)."""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.ops import batch_space, iterate
from gymkernel_util_spaces.batches import BatchPlan, nested, part_of
from gymkernel_util_spaces.plans import plan_of

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["ALIGNMENT", "Table", "plan_of_space"]

ALIGNMENT: Final = 64
"""The length of a cache line in bytes."""


def plan_of_space(space: Any) -> BatchPlan:
    """Return the array plan for a space. Parts that cannot be stored in numeric arrays are stored as objects.

    Args:
        space: the space to which a single element belongs.
    """
    return plan_of(space).batch(shared=True, encode=False)


class Table:
    """A table with one batch of n elements per time step.

    Parts of elements that cannot be stored in numeric arrays are stored in object arrays of shape (time, environment).

    Args:
        plan: the array plan for a single element.
        rows: the number of time steps.
        n: the number of environments.
        memory: the buffer in which the arrays are placed; None to allocate new arrays.
        start: the offset of the first array in the buffer, in bytes.
        what: a description of the elements for error messages, such as "actions".
    """

    def __init__(self, plan: BatchPlan, rows: int, n: int, memory: Any = None, start: int = 0, what: str = "") -> None:
        self.plan, self.rows, self.n, self._what = plan, rows, n, what
        starts, self.end = plan.place(rows * n, start, ALIGNMENT)
        shapes = [((rows, n, *leaf.shape), leaf.dtype) for leaf in plan.leaves]
        if memory is None:
            self.arrays = [np.zeros(shape, dtype) for shape, dtype in shapes]
        else:
            self.arrays = [np.ndarray(*shape, memory, offset) for shape, offset in zip(shapes, starts, strict=True)]
        self.objects = [np.full((rows, n), None, object) for _ in plan.object_parts]
        self._splitters: list[Callable[[Any], Any]] = []

    def writer(self) -> Callable[[int, Any], None]:
        """Return the fastest implementation of `put(t, batch)` for this table.

        The function is not stored as an attribute, because the resulting reference cycle would keep the arrays alive
        until the next garbage collection.
        """
        plan = self.plan
        if plan.tree == 0 and not plan.leaves[0].rows:
            return self.arrays[0].__setitem__
        if not _is_flat(plan):
            return self.put
        leaves = zip(plan.leaves, self.arrays, strict=True)
        columns = [(leaf.path[0], leaf.dtype, array.shape[1:], array) for leaf, array in leaves]
        width = len(columns)

        def put_columns(t: int, batch: Any) -> None:
            try:
                if len(batch) == width:
                    for key, dtype, shape, array in columns:
                        part = batch[key]
                        if part.dtype is not dtype or part.shape != shape:
                            break
                        array[t] = part
                    else:
                        return
            except (KeyError, AttributeError):
                pass
            self.put(t, batch)

        return put_columns

    def keep_objects(self, space: Any) -> None:
        """Prepare to store parts that are objects. The `iterate` operation splits batches of such parts by environment.

        Args:
            space: the space to which a single element belongs.
        """
        for path in self.plan.object_parts:
            batched = batch_space(part_of(space, path), self.n)
            self._splitters.append(partial(iterate, batched))

    def put(self, t: int, batch: Any) -> None:
        """Store the batch of one time step.

        Args:
            t: the index of the time step.
            batch: a batch with one element per environment.

        Raises:
            ValueError: if the arrays in the batch do not match the plan.
        """
        try:
            for leaf, array in zip(self.plan.leaves, self.arrays, strict=True):
                part = batch
                for key in leaf.path:
                    part = part[key]
                np.copyto(array[t], part, casting="same_kind")
        except (KeyError, IndexError, TypeError, ValueError) as exc:
            parts = [
                f"{''.join(f'[{key!r}]' for key in leaf.path)} of shape {(self.n, *leaf.shape)} and dtype {leaf.dtype}"
                for leaf in self.plan.leaves
            ]
            message = f"Expected {self._what} with {', '.join(parts)}, as at the first step, got {batch!r:.300}"
            raise ValueError(message) from exc
        for path, column, split in zip(self.plan.object_parts, self.objects, self._splitters, strict=False):
            part = batch
            for key in path:
                part = part[key]
            for i, element in enumerate(split(part)):
                # A copy is stored, because the environment may reuse and modify the object.
                column[t, i] = copy.deepcopy(element)

    def cut(self, rows: int) -> None:
        """Keep only the first `rows` time steps."""
        self.rows = rows
        self.arrays = [array[:rows] for array in self.arrays]
        self.objects = [column[:rows] for column in self.objects]

    def nested(self, index: Any = ...) -> Any:
        """Return the arrays, optionally indexed, in the nested structure of an element."""
        arrays, objects = self.arrays, self.objects
        return nested(self.plan.tree, lambda i: (arrays[i] if i >= 0 else objects[~i])[index])


def _is_flat(plan: BatchPlan) -> bool:
    """Return whether a batch is a dict of arrays without further nesting."""
    return (
        not isinstance(plan.tree, int)
        and plan.tree[0] is dict
        and plan.dense
        and all(isinstance(child, int) for _, child in plan.tree[1])
    )
