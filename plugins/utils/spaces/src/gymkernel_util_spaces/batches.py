"""`BatchPlan`: what a batch consists of: arrays, parts that arrays hold in code, and parts that no array holds."""

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
"""Places of the batch that is looked at; a number that is no length of anything else, most likely."""


class Leaf(NamedTuple):
    """An array of a batch, without the axis of its places; where `rows`, the batch has the tuple of its rows.

    Attributes:
        path: the keys and indexes that lead to it in the element.
        dtype: of its numbers.
        shape: of one element's array.
        rows: whether the batch has a tuple of arrays instead of one array.
    """

    path: Path
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    rows: bool = False


class BatchPlan(NamedTuple):
    """The parts of an element of a space; it pickles without the space.

    Attributes:
        leaves: the arrays, each with an axis of places in front, of a batch.
        encoded: parts that fields of a layout hold: path, and the first and last + 1 of their leaves.
        object_parts: paths of the parts that no array holds.
        tree: how parts make an element: an index into `leaves`, `~index` into `object_parts`, (None, index into
            `encoded`), or (dict, tuple or a named tuple, [(key, subtree), ...]).

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
        """Make the plan of a space; `plan_of(space).batch()` makes it once.

        Args:
            space: of one element.
            shared: whether other processes are to read the arrays, so that none may hold objects.
            encode: whether parts that are no arrays and have a layout are encoded; else they are object parts.
        """
        return _Planner(shared=shared, encode=encode).plan(space)

    @property
    def dense(self) -> bool:
        """Whether a batch consists of arrays alone."""
        return not (self.object_parts or self.encoded or any(leaf.rows for leaf in self.leaves))

    def place(self, n: int, start: int, align: int) -> tuple[list[int], int]:
        """Where the arrays of a batch of n begin in memory, and where the last one ends.

        Args:
            n: number of places.
            start: of the first array, which is brought to the next multiple of `align`, as are the others.
            align: bytes.
        """
        starts = []
        for leaf in self.leaves:
            starts.append(-(-start // align) * align)
            start = starts[-1] + n * math.prod(leaf.shape) * leaf.dtype.itemsize
        return starts, start

    def arrays(self, n: int, memory: Any = None, starts: Sequence[int] = ()) -> list[NDArray[Any]]:
        """The arrays of a batch of n: of zeros, or in memory, where each begins at its place.

        Args:
            n: the number of places.
            memory: a block with room for all of them; None for arrays of their own.
            starts: the byte at which each array begins in the memory.
        """
        shapes = [((n, *leaf.shape), leaf.dtype) for leaf in self.leaves]
        if memory is None:
            return [np.zeros(shape, dtype) for shape, dtype in shapes]
        return [np.ndarray(*one, memory, start) for one, start in zip(shapes, starts, strict=True)]

    def nested(self, arrays: Sequence[Any]) -> Any:
        """Arrays in the structure of a batch that has no other parts.

        Args:
            arrays: one for each leaf, in order.
        """
        return nested(self.tree, arrays.__getitem__)


def nested(tree: Any, part: Callable[[Any], Any]) -> Any:
    """What `part` gives for the leaves of the tree of a plan, in the structure of a batch.

    Args:
        tree: the attribute `tree` of a `BatchPlan`.
        part: gets an index into the plan's leaves, or a part that has no arrays.
    """
    if isinstance(tree, int) or tree[0] is None:
        return part(tree)
    kind, children = tree
    if kind is dict:
        return {key: nested(child, part) for key, child in children}
    parts = [nested(child, part) for _, child in children]
    return tuple(parts) if kind is tuple else kind._make(parts)


def require_alike(spaces: Sequence[Any], seen: Callable[[Any], Any], expected: str) -> None:
    """Raise a ValueError where what is seen of a space is not that of the first: they have no batch together.

    Args:
        spaces: of one class, the first of which is what the others are compared with.
        seen: what of a space must be alike.
        expected: how the message calls that.
    """
    first = seen(spaces[0])
    for i, other in enumerate(map(seen, spaces)):
        if other != first:
            raise ValueError(
                f"batch_differing_spaces expects {expected}, got {first} at index 0 and {other} at index {i}"
            )


def part_of(space: Any, path: Path) -> Any:
    """The space of the part at a path; LookupError or AttributeError where there is none.

    Args:
        space: the space of the whole element.
        path: the keys and indexes that lead to the part.
    """
    for key in path:
        space = space.spaces[key]
    return space


class _Planner:
    """Finds the parts of a space."""

    def __init__(self, *, shared: bool, encode: bool) -> None:
        self.shared, self.encode = shared, encode
        self.leaves: list[Leaf] = []
        self.encoded: list[tuple[Path, int, int]] = []
        self.object_parts: list[Path] = []

    def plan(self, space: Any) -> BatchPlan:
        tree = self._walk(space, ())
        return BatchPlan(tuple(self.leaves), tuple(self.encoded), tuple(self.object_parts), tree)

    def _walk(self, space: Any, path: Path) -> Any:
        granted: list[NDArray[Any]] = []

        def hand_out(shape: Any, dtype: Any = float) -> NDArray[Any]:
            granted.append(np.broadcast_to(np.zeros((), dtype), shape))  # of any size in no memory
            return granted[-1]

        made = ops.create_empty_array(space, LOOK, hand_out)
        ids = {id(array) for array in granted if self._suits(array)}
        if granted and len(ids) == len(granted) == _count(made, ids):
            return self._dense(made, path)
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

    def _suits(self, array: NDArray[Any]) -> bool:
        return array.shape[:1] == (LOOK,) and not (self.shared and array.dtype.hasobject)

    def _dense(self, made: Any, path: Path) -> Any:
        if isinstance(made, np.ndarray):
            self.leaves.append(Leaf(path, made.dtype, made.shape[1:]))
            return len(self.leaves) - 1
        items = made.items() if isinstance(made, dict) else enumerate(made)
        return dict if isinstance(made, dict) else type(made), [(key, self._dense(x, (*path, key))) for key, x in items]


def _count(made: Any, ids: set[int]) -> int:
    """How many arrays a nested batch consists of; -1 where it has other parts, too."""
    if id(made) in ids:
        return 1
    if not isinstance(made, dict | tuple) or not made:
        return -1
    counts = [_count(part, ids) for part in (made.values() if isinstance(made, dict) else made)]
    return -1 if -1 in counts else sum(counts)


def _parts(space: Any) -> Sequence[tuple[Any, Any]] | None:
    """The spaces of which a space is the product, with keys, where its batch is the product of theirs; else None."""
    inner = getattr(space, "spaces", None)
    if not isinstance(inner, Mapping | tuple | list) or not ops.is_registered(ops.batch_space, type(space)):
        return None
    if type(ops.batch_space(space, 2)) is not type(space):
        return None
    return list(inner.items()) if isinstance(inner, Mapping) else list(enumerate(inner))
