"""`Table`: a batch for every time step, in arrays of shape (time, environment, ...)."""

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
    """Return the array plan of a space, in which parts without arrays are kept as objects.

    Args:
        space: the space of one element.
    """
    return plan_of(space).batch(shared=True, encode=False)


class Table:
    """A batch of n elements for each time step.

    Parts of elements that do not fit into arrays of numbers are in arrays of objects, of shape (time, environment).

    Args:
        plan: the plan of one element.
        rows: the number of time steps.
        n: the number of environments.
        memory: the memory of the arrays; None to allocate new arrays.
        start: the offset of the first array in the memory.
        what: a description of the elements for messages, such as "actions".
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
        """Return the fastest function `put(t, batch)`.

        The function is not an attribute, because a reference cycle would keep the arrays until a garbage collection.
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
        """Prepare for writing object parts, which are divided among the environments by the operation `iterate`.

        Args:
            space: the space of one element.
        """
        for path in self.plan.object_parts:
            batched = batch_space(part_of(space, path), self.n)
            self._splitters.append(partial(iterate, batched))

    def put(self, t: int, batch: Any) -> None:
        """Write the batch of one time step.

        Args:
            t: the time step.
            batch: the batch.

        Raises:
            ValueError: the arrays of the batch do not match the plan.
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
                column[t, i] = copy.deepcopy(element)  # the environment may reuse and change the object

    def cut(self, rows: int) -> None:
        """Remove the time steps from `rows` on."""
        self.rows = rows
        self.arrays = [array[:rows] for array in self.arrays]
        self.objects = [column[:rows] for column in self.objects]

    def nested(self, index: Any = ...) -> Any:
        """Return all arrays, or an index into each array, in the structure of an element."""
        arrays, objects = self.arrays, self.objects
        return nested(self.plan.tree, lambda i: (arrays[i] if i >= 0 else objects[~i])[index])

    @staticmethod
    def size(plan: BatchPlan, cells: int, start: int = 0) -> int:
        """Return the end of the arrays of a plan.

        Args:
            plan: the plan of one element.
            cells: the number of elements: the product of the numbers of time steps and environments.
            start: the offset of the first array.
        """
        return plan.place(cells, start, ALIGNMENT)[1]


def _is_flat(plan: BatchPlan) -> bool:
    """Return whether a batch is a dict of arrays without further nesting."""
    return (
        not isinstance(plan.tree, int)
        and plan.tree[0] is dict
        and plan.dense
        and all(isinstance(child, int) for _, child in plan.tree[1])
    )
