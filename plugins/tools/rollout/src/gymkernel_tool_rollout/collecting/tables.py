"""`Table`: a batch for every time step in arrays of (time, environment, ...), by the array mechanism of spaces."""

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
"""Bytes; the length of a cache line."""


def plan_of_space(space: Any) -> BatchPlan:
    """Which parts of a batch are arrays; the others are kept as objects."""
    return plan_of(space).batch(shared=True, encode=False)


class Table:
    """Batches of n elements, one for each of some time steps.

    Where a part of an element has no array, there is an array of objects of (time, environment).

    Args:
        plan: of one element.
        rows: time steps.
        n: environments.
        memory: where the arrays are; None makes them.
        start: of the first one there.
        what: for messages: "actions".
    """

    def __init__(self, plan: BatchPlan, rows: int, n: int, memory: Any = None, start: int = 0, what: str = "") -> None:
        self.plan, self.rows, self.n, self._what = plan, rows, n, what
        starts, self.end = plan.place(rows * n, start, ALIGNMENT)
        shapes = [((rows, n, *leaf.shape), leaf.dtype) for leaf in plan.leaves]
        if memory is None:
            self.arrays = [np.zeros(shape, dtype) for shape, dtype in shapes]
        else:
            self.arrays = [np.ndarray(*one, memory, place) for one, place in zip(shapes, starts, strict=True)]
        self.objects = [np.full((rows, n), None, object) for _ in plan.object_parts]
        self._splitters: list[Callable[[Any], Any]] = []

    def writer(self) -> Callable[[int, Any], None]:
        """The fastest `put(t, batch)`; it is not kept here, lest arrays stay until circles are collected."""
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
        """Have object parts split by their spaces; only needed to write them."""
        for path in self.plan.object_parts:
            batched = batch_space(part_of(space, path), self.n)
            self._splitters.append(partial(iterate, batched))

    def put(self, t: int, batch: Any) -> None:
        """Write the batch of one time step.

        Raises:
            ValueError: its arrays are not like those of the plan.
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
                column[t, i] = copy.deepcopy(element)  # of an environment that may use it again

    def cut(self, rows: int) -> None:
        """Leave out the time steps from `rows` on."""
        self.rows = rows
        self.arrays = [array[:rows] for array in self.arrays]
        self.objects = [column[:rows] for column in self.objects]

    def nested(self, index: Any = ...) -> Any:
        """All arrays, or a part of each, in the structure of an element."""
        arrays, objects = self.arrays, self.objects
        return nested(self.plan.tree, lambda i: (arrays[i] if i >= 0 else objects[~i])[index])

    @staticmethod
    def size(plan: BatchPlan, cells: int, start: int = 0) -> int:
        """Where the arrays end that begin at `start`."""
        return plan.place(cells, start, ALIGNMENT)[1]


def _is_flat(plan: BatchPlan) -> bool:
    """Whether a batch is a dictionary of arrays, and no more."""
    return (
        not isinstance(plan.tree, int)
        and plan.tree[0] is dict
        and plan.dense
        and all(isinstance(child, int) for _, child in plan.tree[1])
    )
