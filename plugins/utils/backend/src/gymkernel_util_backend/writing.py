"""`BatchWriter`: put elements of a space into the arrays of a batch, one by one or all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_util_backend.plan import part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from gymkernel_util_backend.plan import BatchPlan, Path

__all__ = ["BatchWriter", "Misfit"]


class Misfit(ValueError):  # noqa: N818 - it is made into a WorkerError
    """An observation is not what its space says; the text names the part, what was expected and what was seen."""


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


class _Encoded:
    """Writes one part of the elements into the arrays of its space's layout."""

    def __init__(self, space: Any, arrays: Sequence[NDArray[Any]], path: Path, *, check: bool) -> None:
        self.space, self.arrays, self.path, self.check = space, arrays, path, check

    def fill(self, column: Sequence[Any]) -> None:
        for i, part in enumerate(column):
            self.put(i, part)

    def put(self, i: int, part: Any) -> None:
        try:
            fits = not self.check or self.space.contains(part)
            if fits:
                self.space.encode(part, [array[i, ...] for array in self.arrays])
        except Exception as exc:
            raise Misfit(self._complaint(part)) from exc
        if not fits:
            raise Misfit(self._complaint(part))

    def _complaint(self, part: Any) -> str:
        where = "".join(f"[{key!r}]" for key in self.path)
        return f"Expected an observation{where} in {self.space}, got {part!r:.200}"


def _built(tree: Any, path: Path, columns: Sequence[Any], encoded: Sequence[_Encoded], odd: Sequence[_Odd]) -> Any:
    """What writes a part; a function of the module, since one that is its own closure keeps the arrays in a circle."""
    if isinstance(tree, int):
        return columns[tree] if tree >= 0 else odd[~tree]
    kind, children = tree
    if kind is None:
        return encoded[children]
    inner = [(key, _built(child, (*path, key), columns, encoded, odd)) for key, child in children]
    return _Product(inner, kind, path)


class BatchWriter:
    """Writes elements into the places of a batch.

    Args:
        plan: of the space.
        arrays: for each leaf, with the places in front.
        n: number of places.
        space: of one element; needed where the plan has encoded parts.
        check: whether shapes and dtypes must be right, and encoded parts in their spaces.
    """

    def __init__(
        self, plan: BatchPlan, arrays: Sequence[NDArray[Any]], n: int, space: Any = None, *, check: bool = True
    ) -> None:
        columns = [_Column(a, leaf.path, check=check) for a, leaf in zip(arrays, plan.leaves, strict=True)]
        encoded = [
            _Encoded(part_of(space, path), arrays[start:stop], path, check=check) for path, start, stop in plan.encoded
        ]
        odd = [_Odd(n) for _ in plan.odd]
        self.odd = [one.parts for one in odd]
        """For each odd part, that of every element."""
        root = _built(plan.tree, (), columns, encoded, odd)
        self.fill: Callable[[Sequence[Any]], None] = root.fill
        """Write all elements; raises where one does not fit, in which case `put` tells which."""
        self.put: Callable[[int, Any], None] = root.put
        """Write one element into a place; a `Misfit` says what is wrong with it."""
