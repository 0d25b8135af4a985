"""What a batch consists of: parts that are arrays, which go through shared memory, and others, which go by message."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import ops
from gymkernel.vector.utils import batch_space, concatenate, create_empty_array

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["Leaf", "Misfit", "Plan", "Reader", "Writer"]

Path = tuple[Any, ...]


class Misfit(ValueError):  # noqa: N818 - it is made into a WorkerError
    """An observation is not what its space says; the text names the part, what was expected and what was seen."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A part of an element that is one array."""

    path: Path
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The parts of an element of a space; workers get it instead of the space."""

    leaves: tuple[Leaf, ...]
    odd: tuple[Path, ...]
    """Parts without fixed arrays."""
    tree: Any
    """An index into `leaves`, `~index` into `odd`, or (dict or tuple, [(key, subtree), ...])."""

    @classmethod
    def of(cls, space: Any) -> tuple[Plan, list[Any]]:
        """The plan of a space, and the spaces of its odd parts."""
        leaves: list[Leaf] = []
        odd: list[tuple[Path, Any]] = []

        def walk(space: Any, path: Path) -> Any:
            parts = _parts(space)
            if parts is not None:
                kind = dict if isinstance(space.spaces, Mapping) else tuple
                return kind, [(key, walk(part, (*path, key))) for key, part in parts]
            array = _array_of(space)
            if array is None:
                odd.append((path, space))
                return ~(len(odd) - 1)
            leaves.append(Leaf(path, array.dtype, array.shape[1:]))
            return len(leaves) - 1

        tree = walk(space, ())
        return cls(tuple(leaves), tuple(path for path, _ in odd), tree), [space for _, space in odd]


def _parts(space: Any) -> list[tuple[Any, Any]] | None:
    """The spaces of which a space is the product, with keys, where its batch is the product of theirs; else None."""
    inner = getattr(space, "spaces", None)
    if not isinstance(inner, Mapping | tuple | list) or not ops.is_registered(ops.batch_space, type(space)):
        return None
    if type(batch_space(space, 2)) is not type(space):
        return None
    return list(inner.items()) if isinstance(inner, Mapping) else list(enumerate(inner))


def _array_of(space: Any) -> NDArray[Any] | None:
    """The array that holds two elements, where one does; it may only be looked at."""
    granted: list[NDArray[Any]] = []

    def hand_out(shape: Any, dtype: Any = float) -> NDArray[Any]:
        granted.append(np.broadcast_to(np.zeros((), dtype), shape))  # of any size in no memory
        return granted[-1]

    made = create_empty_array(space, 2, hand_out)
    one = len(granted) == 1 and made is granted[0]
    return granted[0] if one and len(made) == 2 and not made.dtype.hasobject else None


class _Column:
    """Writes one part of the elements of a share into its array.

    Args:
        array: (elements, *shape).
        path: of the part, for messages.
        check: whether shape and dtype must be right.
    """

    def __init__(self, array: NDArray[Any], path: Path, *, check: bool) -> None:
        self.array, self.path, self.check = array, path, check
        self.dtype, self.shape = array.dtype, array.shape[1:]
        self.casting: Any = ("same_kind" if self.dtype.kind in "fc" else "safe") if check else "unsafe"
        if self.shape:
            self.flat = array.reshape(-1, *self.shape[1:])
            self.lengths = [self.shape[0]] * len(array)

    def fill(self, column: Sequence[Any]) -> None:
        """Write the part of every element at once, which is several times faster than one by one."""
        try:
            if not self.shape:
                values = np.array(column)
                if values.shape == self.array.shape and np.can_cast(values.dtype, self.dtype, self.casting):
                    self.array[...] = values
                    return
            elif list(map(len, column)) == self.lengths:
                np.concatenate(column, out=self.flat, casting=self.casting)
                return
        except (TypeError, ValueError):
            pass  # one of them does not fit, or fits after a conversion
        for i, part in enumerate(column):
            self.put(i, part)

    def put(self, i: int, part: Any) -> None:
        """Write the part of one element."""
        if self.check:
            part = self._checked(part)
        self.array[i] = part

    def _checked(self, part: Any) -> NDArray[Any]:
        where = "".join(f"[{key!r}]" for key in self.path)
        expected = f"Expected an observation{where} of shape {self.shape} and dtype {self.dtype}"
        if part is None:
            message = f"{expected}, got None"
            raise Misfit(message)
        try:
            array = np.asarray(part)
        except (TypeError, ValueError):
            message = f"{expected}, got {part!r}, of which no array can be made"
            raise Misfit(message) from None
        if array.shape != self.shape:
            message = f"{expected}, got shape {array.shape} (dtype {array.dtype})"
            raise Misfit(message)
        if np.can_cast(array.dtype, self.dtype, self.casting):
            return array
        if self.dtype.kind in "iu" and array.dtype.kind in "biuf":
            with np.errstate(invalid="ignore"):
                converted = array.astype(self.dtype)
            same = converted == array
            if same.all():
                return converted
            message = f"{expected}, got {array[~same].flat[0]!r} (dtype {array.dtype}), which it cannot hold"
            raise Misfit(message)
        message = f"{expected}, got dtype {array.dtype}"
        raise Misfit(message)


class _Odd:
    """Keeps one part of the elements for a message."""

    def __init__(self, n: int) -> None:
        self.parts: list[Any] = [None] * n

    def fill(self, column: Sequence[Any]) -> None:
        self.parts[:] = column

    def put(self, i: int, part: Any) -> None:
        self.parts[i] = part


class _Product:
    """Hands the parts of elements to those who write them."""

    def __init__(self, children: list[tuple[Any, Any]], kind: type, path: Path) -> None:
        self.children, self.kind, self.path = children, kind, path

    def fill(self, column: Sequence[Any]) -> None:
        for key, child in self.children:
            child.fill([element[key] for element in column])

    def put(self, i: int, part: Any) -> None:
        if not hasattr(part, "__getitem__") or (self.kind is tuple and len(part) != len(self.children)):
            self._complain(part)
        for key, child in self.children:
            try:
                inner = part[key]
            except (KeyError, IndexError, TypeError):
                self._complain(part)
            child.put(i, inner)

    def _complain(self, part: Any) -> None:
        where = "".join(f"[{key!r}]" for key in self.path)
        keys = [key for key, _ in self.children] if self.kind is dict else len(self.children)
        wanted = f"a dictionary with {keys}" if self.kind is dict else f"a tuple of {keys}"
        message = f"Expected an observation{where} that is {wanted}, got {part!r:.200}"
        raise Misfit(message)


def _built(tree: Any, path: Path, columns: Sequence[_Column], odd: Sequence[_Odd]) -> Any:
    """What writes a part; a function of the module, since one that is its own closure keeps the arrays in a circle."""
    if isinstance(tree, int):
        return columns[tree] if tree >= 0 else odd[~tree]
    kind, children = tree
    return _Product([(key, _built(child, (*path, key), columns, odd)) for key, child in children], kind, path)


class Writer:
    """Writes the observations of a share into arrays.

    Args:
        plan: of the observation space.
        arrays: for each leaf, the rows of this share.
        n: elements of the share.
        check: whether shapes and dtypes must be right.
    """

    def __init__(self, plan: Plan, arrays: Sequence[NDArray[Any]], n: int, *, check: bool) -> None:
        columns = [_Column(a, leaf.path, check=check) for a, leaf in zip(arrays, plan.leaves, strict=True)]
        self._odd = [_Odd(n) for _ in plan.odd]
        self.odd = [odd.parts for odd in self._odd]
        """For each odd part, that of every element."""

        root = _built(plan.tree, (), columns, self._odd)
        self.fill: Callable[[Sequence[Any]], None] = root.fill
        """Write all observations; raises where one does not fit, in which case `put` tells which."""
        self.put: Callable[[int, Any], None] = root.put
        """Write one; a `Misfit` says what is wrong with it."""


class Reader:
    """Makes batches of arrays and odd parts.

    Args:
        plan: of the space of one element.
        odd: the spaces of its odd parts.
        n: number of elements.
    """

    def __init__(self, plan: Plan, odd: Sequence[Any], n: int) -> None:
        self.plan, self.n = plan, n
        self._odd_spaces = odd
        self.odd: list[list[Any]] = [[None] * n for _ in odd]
        """For each odd part, that of every element."""

    def batch(self, arrays: Sequence[NDArray[Any]], *, copy: bool) -> Any:
        """All elements, in arrays of their own where `copy`."""
        if self.plan.tree == 0:
            return arrays[0].copy() if copy else arrays[0]
        return self._build(self.plan.tree, [array.copy() for array in arrays] if copy else arrays, self.odd)

    def nested(self, arrays: Sequence[NDArray[Any]]) -> Any:
        """Arrays in the structure of a batch without odd parts."""
        return self._build(self.plan.tree, arrays, ())

    def some(self, arrays: Sequence[NDArray[Any]], indices: Any) -> Any:
        """Some elements, in arrays of their own."""
        odd = [[parts[i] for i in indices] for parts in self.odd]
        return self._build(self.plan.tree, [array[indices] for array in arrays], odd)

    def _build(self, tree: Any, arrays: Sequence[NDArray[Any]], odd: Sequence[Sequence[Any]]) -> Any:
        if isinstance(tree, int):
            if tree >= 0:
                return arrays[tree]
            space, parts = self._odd_spaces[~tree], odd[~tree]
            return concatenate(space, parts, create_empty_array(space, len(parts)))
        kind, children = tree
        if kind is dict:
            return {key: self._build(child, arrays, odd) for key, child in children}
        return tuple([self._build(child, arrays, odd) for _, child in children])

    def write(self, arrays: Sequence[NDArray[Any]], batch: Any, where: Any = ..., n: int = -1) -> bool:
        """Copy a batch into rows of the arrays; False, and nothing is promised of them, where it does not just fit.

        Args:
            arrays: for each leaf.
            batch: in the structure of the space.
            where: the rows.
            n: their number; -1 for all.
        """
        return not self._odd_spaces and self._write(self.plan.tree, arrays, batch, where, self.n if n < 0 else n)

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
