"""The class `BatchPlan`, which describes the arrays of a batch and the parts that are not stored in arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from gymkernel import ops
from gymkernel_util_spaces.vectors import is_plain

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BatchPlan", "Leaf", "Path", "nested", "part_of", "require_alike"]

Path = tuple[Any, ...]
LOOK: Final = 7
"""The number of elements in a trial batch. Other axes are unlikely to have this length."""


class Leaf(NamedTuple):
    """A description of one array in a batch, without the batch axis.

    Attributes:
        path: the keys and indices that lead to the array's part of an element.
        dtype: the dtype of the array.
        shape: the shape of the part of a single element.
        rows: whether the batch contains a tuple of arrays, one for each element, instead of a single array.
    """

    path: Path
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    rows: bool = False


class BatchPlan(NamedTuple):
    """A description of the parts of a batch. It does not refer to the space, so pickles do not contain the space.

    Attributes:
        leaves: descriptions of the arrays in a batch.
        encoded: a tuple for each part that is encoded as described by its space's layout. The tuple contains the part's
            path, the index of the part's first leaf, and the index after its last leaf.
        object_parts: the paths of the parts that are not stored in arrays.
        tree: the structure of an element. A node is an index into `leaves`, the complement (`~`) of an index into
            `object_parts`, a tuple (None, index into `encoded`), or a tuple (type, [(key, subtree), ...]), where the
            type is dict, tuple or a named tuple.

    >>> from gymkernel import Space
    >>> from gymkernel.space import Field
    >>> class Angle(Space):
    ...     def layout(self):
    ...         return (Field.of(float, (1,)),)
    >>> BatchPlan.of(Angle()).leaves
    (Leaf(path=(), dtype=dtype('float64'), shape=(1,), rows=True),)
    """

    leaves: tuple[Leaf, ...]
    encoded: tuple[tuple[Path, int, int], ...]
    object_parts: tuple[Path, ...]
    tree: Any

    @classmethod
    def of(cls, space: Any, *, shared: bool = True, encode: bool = True) -> BatchPlan:
        """Create the batch plan of a space. To also cache the plan, use `plan_of(space).batch()`.

        Args:
            space: the space that each element belongs to.
            shared: whether other processes read the arrays, in which case no array may contain objects.
            encode: whether to encode parts that are not arrays but have a layout. Otherwise, they are object parts.
        """
        return _Planner(shared=shared, encode=encode).plan(space)

    @property
    def dense(self) -> bool:
        """Whether a batch consists of arrays only."""
        return not (self.object_parts or self.encoded or any(leaf.rows for leaf in self.leaves))

    def place(self, n: int, start: int, align: int) -> tuple[list[int], int]:
        """Return the offset of each array in a block of memory for n elements, and the end of the last array.

        Args:
            n: the number of elements.
            start: the lowest offset. All offsets are rounded up to multiples of `align`.
            align: the alignment of the arrays in bytes.
        """
        starts = []
        for leaf in self.leaves:
            starts.append(-(-start // align) * align)
            start = starts[-1] + n * math.prod(leaf.shape) * leaf.dtype.itemsize
        return starts, start

    def arrays(self, n: int, memory: Any = None, starts: Sequence[int] = ()) -> list[NDArray[Any]]:
        """Return arrays for a batch of n elements. They are either views of a memory block or new arrays of zeros.

        Args:
            n: the number of elements.
            memory: a block that is large enough for all arrays, or None for new arrays.
            starts: the offset of each array in the block, in bytes.
        """
        shapes = [((n, *leaf.shape), leaf.dtype) for leaf in self.leaves]
        if memory is None:
            return [np.zeros(shape, dtype) for shape, dtype in shapes]
        return [np.ndarray(*shape, memory, start) for shape, start in zip(shapes, starts, strict=True)]

    def nested(self, arrays: Sequence[Any]) -> Any:
        """Arrange arrays in the structure of a batch. The batch must consist only of arrays.

        Args:
            arrays: one array for each entry of `leaves`, in the same order.
        """
        return nested(self.tree, arrays.__getitem__)


def nested(tree: Any, part: Callable[[Any], Any]) -> Any:
    """Call `part` for each leaf of a plan's tree, and arrange the results in the structure of a batch.

    Args:
        tree: the attribute `tree` of a `BatchPlan`.
        part: a function that takes a leaf of the tree, which is an index into `leaves` or the entry for a part that is
            not stored in a single array.
    """
    if isinstance(tree, int) or tree[0] is None:
        return part(tree)
    kind, children = tree
    if kind is dict:
        return {key: nested(child, part) for key, child in children}
    parts = [nested(child, part) for _, child in children]
    return tuple(parts) if kind is tuple else kind._make(parts)


def require_alike(spaces: Sequence[Any], seen: Callable[[Any], Any], expected: str) -> None:
    """Raise a ValueError if spaces differ in a property that must be equal to put their elements into one batch.

    Args:
        spaces: spaces of the same class.
        seen: a function that takes a space and returns the value of the property.
        expected: a description of the expected spaces, for the error message.
    """
    first = seen(spaces[0])
    for i, other in enumerate(map(seen, spaces)):
        if other != first:
            raise ValueError(
                f"batch_differing_spaces expects {expected}, got {first} at index 0 and {other} at index {i}"
            )


def part_of(space: Any, path: Path) -> Any:
    """Return the inner space at a path.

    Args:
        space: the outermost space.
        path: the keys and indices that lead to the inner space.

    Raises:
        LookupError, AttributeError: if there is no inner space at the path.
    """
    for key in path:
        space = space.spaces[key]
    return space


class _Planner:
    """A helper that walks through the parts of a space and creates a `BatchPlan`."""

    def __init__(self, *, shared: bool, encode: bool) -> None:
        self.shared, self.encode = shared, encode
        self.leaves: list[Leaf] = []
        self.encoded: list[tuple[Path, int, int]] = []
        self.object_parts: list[Path] = []

    def plan(self, space: Any) -> BatchPlan:
        tree = self._walk(space, ())
        return BatchPlan(tuple(self.leaves), tuple(self.encoded), tuple(self.object_parts), tree)

    def _walk(self, space: Any, path: Path) -> Any:
        created: list[NDArray[Any]] = []

        def create(shape: Any, dtype: Any = float) -> NDArray[Any]:
            # The array uses almost no memory, whatever its shape.
            created.append(np.broadcast_to(np.zeros((), dtype), shape))
            return created[-1]

        batch = ops.create_empty_array(space, LOOK, create)
        ids = {id(array) for array in created if self._is_leaf(array)}
        if created and len(ids) == len(created) == _count(batch, ids):
            return self._dense(batch, path)
        parts = _parts(space)
        if parts is not None:
            kind = dict if isinstance(space.spaces, Mapping) else tuple
            return kind, [(key, self._walk(part, (*path, key))) for key, part in parts]
        layout = ops.layout(space)
        if layout is not None and is_plain(space, layout) and not ops.is_registered(ops.concatenate, type(space)):
            self.leaves.append(Leaf(path, layout[0].dtype, layout[0].shape, rows=True))
            return len(self.leaves) - 1
        if self.encode and layout is not None and not any(field.dtype.hasobject for field in layout):
            first = len(self.leaves)
            self.leaves += [Leaf(path, field.dtype, field.shape) for field in layout]
            self.encoded.append((path, first, len(self.leaves)))
            return None, len(self.encoded) - 1
        self.object_parts.append(path)
        return ~(len(self.object_parts) - 1)

    def _is_leaf(self, array: NDArray[Any]) -> bool:
        return array.shape[:1] == (LOOK,) and not (self.shared and array.dtype.hasobject)

    def _dense(self, batch: Any, path: Path) -> Any:
        if isinstance(batch, np.ndarray):
            self.leaves.append(Leaf(path, batch.dtype, batch.shape[1:]))
            return len(self.leaves) - 1
        kind = dict if isinstance(batch, dict) else type(batch)
        items = batch.items() if isinstance(batch, dict) else enumerate(batch)
        return kind, [(key, self._dense(x, (*path, key))) for key, x in items]


def _count(batch: Any, ids: set[int]) -> int:
    """Return the number of arrays in a nested batch, or -1 if the batch also contains other objects."""
    if id(batch) in ids:
        return 1
    if not isinstance(batch, dict | tuple) or not batch:
        return -1
    counts = [_count(part, ids) for part in (batch.values() if isinstance(batch, dict) else batch)]
    return -1 if -1 in counts else sum(counts)


def _parts(space: Any) -> Sequence[tuple[Any, Any]] | None:
    """Return the inner spaces with their keys, or None if a batch of the space does not consist of their batches."""
    inner = getattr(space, "spaces", None)
    if not isinstance(inner, Mapping | tuple | list) or not ops.is_registered(ops.batch_space, type(space)):
        return None
    if type(ops.batch_space(space, 2)) is not type(space):
        return None
    return list(inner.items()) if isinstance(inner, Mapping) else list(enumerate(inner))
