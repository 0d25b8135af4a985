"""The class `BatchReader`, which creates batches from the arrays that store the elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.ops import concatenate, create_empty_array
from gymkernel_util_spaces.batches import BatchPlan, nested, part_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BatchReader"]


class BatchReader:
    """A reader that creates batches from arrays, and from parts that are stored as objects.

    Args:
        plan: the array plan for the space.
        space: the space that each element belongs to.
        n: the number of elements.
    """

    def __init__(self, plan: BatchPlan, space: Any, n: int) -> None:
        self.plan, self.n, self._dense = plan, n, plan.dense
        self._object_spaces = [part_of(space, path) for path in plan.object_parts]
        self._encoded_spaces = [part_of(space, path) for path, *_ in plan.encoded]
        self.object_parts: list[list[Any]] = [[None] * n for _ in plan.object_parts]
        """One list for each part that is stored as objects. The list contains the part of every element."""

    def batch(self, arrays: Sequence[NDArray[Any]], *, copy: bool) -> Any:
        """Return all elements as a batch.

        Args:
            arrays: the arrays of the batch, in the order of the plan.
            copy: whether to copy the arrays.
        """
        if self._dense and self.plan.tree == 0:
            return arrays[0].copy() if copy else arrays[0]
        return self._build([array.copy() for array in arrays] if copy else arrays, self.object_parts)

    def some(self, arrays: Sequence[NDArray[Any]], indices: Any) -> Any:
        """Return a batch of the given elements, in new arrays.

        Args:
            arrays: the arrays of the batch, in the order of the plan.
            indices: the indices of the elements.
        """
        object_parts = [[parts[i] for i in indices] for parts in self.object_parts]
        return self._build([array[indices] for array in arrays], object_parts)

    def _build(self, arrays: Sequence[NDArray[Any]], object_parts: Sequence[Sequence[Any]]) -> Any:
        if self._dense:
            return self.plan.nested(arrays)

        def part(tree: Any) -> Any:
            if not isinstance(tree, int):
                return self._decode(tree[1], arrays)
            if tree >= 0:
                return tuple(arrays[tree]) if self.plan.leaves[tree].rows else arrays[tree]
            space, parts = self._object_spaces[~tree], object_parts[~tree]
            return concatenate(space, parts, create_empty_array(space, len(parts)))

        return nested(self.plan.tree, part)

    def _decode(self, index: int, arrays: Sequence[NDArray[Any]]) -> Any:
        """Decode a part that is stored as described by its layout, and return its values as a batch."""
        space, (_, start, stop) = self._encoded_spaces[index], self.plan.encoded[index]
        fields = arrays[start:stop]
        n = len(fields[0]) if fields else self.n
        items = [space.decode([field[i, ...] for field in fields]) for i in range(n)]
        return concatenate(space, items, create_empty_array(space, n))

    def write(self, arrays: Sequence[NDArray[Any]], batch: Any, where: Any = ..., n: int = -1) -> bool:
        """Copy a batch into rows of the arrays, and return whether the batch fits without a conversion.

        If the batch does not fit, the contents of the rows are undefined.

        Args:
            arrays: the arrays to write into, one for each array in the plan.
            batch: the batch, in the structure of the space.
            where: the rows to write into.
            n: the number of rows, or -1 for all rows.
        """
        return self._dense and self._write(self.plan.tree, arrays, batch, where, self.n if n < 0 else n)

    def _write(self, tree: Any, arrays: Sequence[NDArray[Any]], batch: Any, where: Any, n: int) -> bool:
        if isinstance(tree, int):
            array = arrays[tree]
            if type(batch) is not np.ndarray or batch.dtype != array.dtype or batch.shape != (n, *array.shape[1:]):
                return False
            array[where] = batch
            return True
        kind, children = tree
        if not isinstance(batch, kind) or len(batch) != len(children):
            return False
        try:
            return all(self._write(child, arrays, batch[key], where, n) for key, child in children)
        except KeyError:
            return False
