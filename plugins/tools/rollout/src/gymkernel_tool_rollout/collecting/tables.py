"""Classes that store one batch per time step in arrays of shape (time, environment, ...), and functions for extras.

Extras are the additional arrays that a policy may return.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import partial, reduce
from operator import getitem
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from gymkernel.ops import batch_space, iterate
from gymkernel_tool_rollout.collecting.fitting import differences, fit_leaf
from gymkernel_util_spaces.batches import BatchPlan, Leaf, nested, part_of
from gymkernel_util_spaces.plans import plan_of

if TYPE_CHECKING:
    from collections.abc import Callable


__all__ = ["ALIGNMENT", "ExtrasTable", "Table", "plan_of_extras", "plan_of_space", "refuse_extras"]

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
        elements = plan.arrays(rows * n, memory, starts)
        self.arrays = [array.reshape(rows, n, *array.shape[1:]) for array in elements]
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
        if not plan.dense or plan.tree != (dict, [(leaf.path[0], i) for i, leaf in enumerate(plan.leaves)]):
            return self.put  # the batch is not a dict of arrays without further nesting
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
                for key in leaf.path:  # a loop is faster than `reduce`
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
            for i, element in enumerate(split(reduce(getitem, path, batch))):
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


def plan_of_extras(extras: Mapping[str, Any], n: int) -> BatchPlan:
    """Derive the array plan for a policy's extras from the first ones that the policy returned.

    Args:
        extras: the extras of a fragment's first time step: arrays keyed by name, with one row per environment.
        n: the number of environments.

    Raises:
        ValueError: if an extra is not an array of numbers, or has the wrong number of rows.
    """
    leaves: list[Leaf] = []

    def walk(value: Any, path: tuple[Any, ...]) -> Any:
        if isinstance(value, Mapping):
            return dict, [(key, walk(part, (*path, key))) for key, part in value.items()]
        array = np.asarray(value)
        if array.shape[:1] != (n,) or array.dtype.hasobject:
            where = "".join(f"[{key!r}]" for key in path)
            message = (
                f"Expected extras{where} of the policy to be an array of numbers with {n} rows, one for each "
                f"environment, got an array of shape {array.shape} and dtype {array.dtype}"
            )
            raise ValueError(message)
        leaves.append(Leaf(path, array.dtype, array.shape[1:]))
        return len(leaves) - 1

    tree = walk(extras, ())
    return BatchPlan(tuple(leaves), (), (), tree)


class ExtrasTable(Table):
    """A table that stores a fragment's extras. Every time step must have the same extras as the first one."""

    def put(self, t: int, batch: Any) -> None:
        """Write the extras of one time step.

        Args:
            t: the index of the time step in the fragment.
            batch: the extras, with one row per environment.

        Raises:
            ValueError: if the names or shapes of the extras differ from those in the fragment's first time step, or if
                an extra contains a number that its dtype in the first time step cannot represent.
        """
        difference = differences(self.plan.tree, batch)
        if difference:
            raise _mismatch(t, difference)
        for leaf, array in zip(self.plan.leaves, self.arrays, strict=True):
            part = batch
            for key in leaf.path:
                part = part[key]
            array[t] = fit_leaf(leaf, part, self.n, f"extras{{}} of the policy at time step {t}, as at the first,")


def refuse_extras(t: int, extras: Mapping[str, Any]) -> None:
    """Check that a time step has no extras if the fragment's first time step had none.

    Args:
        t: the index of the time step in the fragment.
        extras: the extras that the policy returned at this time step.

    Raises:
        ValueError: if the time step has extras.
    """
    if extras:
        raise _mismatch(t, differences((dict, []), extras))


def _mismatch(t: int, difference: str) -> ValueError:
    return ValueError(
        "Expected the policy to return the same extras at every time step of a fragment, got different extras at time "
        f"step {t} than at the first: {difference}. Return every extra at every step, for example NaN if an extra has "
        "no value"
    )
