"""`BatchWriter`: put elements of a space into the arrays of a batch, one by one or all at once."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, countOf, itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import ops
from gymkernel_util_spaces.batches import BatchPlan, Leaf, Path, part_of
from gymkernel_util_spaces.texts import text_of
from gymkernel_util_vector.fitting import casting_of, fitted, fitted_all, is_kept, scratch

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BatchWriter", "ObservationMismatch"]

DTYPE, SHAPE = attrgetter("dtype"), attrgetter("shape")


class ObservationMismatch(ValueError):  # noqa: N818 - it is a ValueError with a message of its own
    """An observation is not what its space says; the text names environment, part, what was expected and was seen."""


class _Part:
    """A part of the elements of several environments.

    Args:
        path: of the part, for messages.
        first: index of the first environment, for messages.
    """

    def __init__(self, path: Path, first: int) -> None:
        self.path, self.first = path, first

    def fill(self, column: Sequence[Any]) -> None:
        """Write the part of every element; by default one by one."""
        for i, part in enumerate(column):
            self.put(i, part)

    def put(self, i: int, part: Any) -> None:
        """Write the part of one element."""
        raise NotImplementedError

    @property
    def gather(self) -> Callable[[Sequence[Any]], Any]:
        """What makes the batch of the part of every element, in memory of its own; it raises where one does not fit."""

        def none(column: Sequence[Any]) -> Any:
            raise NotImplementedError

        return none

    def _mismatch(self, i: int, expected: str, seen: str) -> ObservationMismatch:
        where = "".join(f"[{key!r}]" for key in self.path)
        return ObservationMismatch(
            f"Expected an observation{where} {expected} from environment {self.first + i}, got {seen}"
        )


class _Column(_Part):
    """Writes one part of the elements of several environments into its array.

    Args:
        array: (elements, *shape).
        leaf: what the array is for.
        first: index of the first environment, for messages.
        check: whether shape and dtype must be right.
    """

    def __init__(self, array: NDArray[Any], leaf: Leaf, first: int, *, check: bool) -> None:
        super().__init__(leaf.path, first)
        self.array, self.check, self.rows = array, check, leaf.rows
        self.dtype, self.shape = array.dtype, array.shape[1:]
        self.casting: Any = casting_of(self.dtype) if check else "unsafe"
        self.lengths = list(self.shape[:1]) * len(array)
        if self.shape:
            self.flat = array.reshape(math.prod(array.shape[:2]), *self.shape[1:])

    def require_alike(self, array: NDArray[Any]) -> None:
        """Refuse an array that is not like the one here."""
        same = array.dtype == self.dtype and array.shape == self.array.shape
        if not (same and array.flags.c_contiguous and array.flags.writeable):
            where = "".join(f"[{key!r}]" for key in self.path)
            raise ValueError(
                f"Expected a contiguous, writeable array of shape {self.array.shape} and dtype {self.dtype} for "
                f"observations{where}, got one of shape {array.shape} and dtype {array.dtype}"
            )

    def move(self, array: NDArray[Any]) -> None:
        """Write into another array from now on."""
        self.array = array
        if self.shape:
            self.flat = array.reshape(self.flat.shape)

    def fill(self, column: Sequence[Any]) -> None:
        """Write the part of every element at once, which is several times faster than one by one."""
        try:
            if self.shape:
                self._join(column, self.flat)
            else:
                self.array[...] = fitted_all(np.array(column), self.array.shape, self.dtype, self.casting)
        except (TypeError, ValueError):  # one of them does not fit, or fits after a conversion
            super().fill(column)

    @property
    def gather(self) -> Callable[[Sequence[Any]], Any]:
        """What makes a new array of the part of every element, or the tuple of its rows."""
        dtype, inner, shape, casting, lengths = self.dtype, self.shape, self.array.shape, self.casting, self.lengths
        flat = self.flat.shape if inner else ()
        plain = None if dtype.hasobject else dtype

        def numbers(column: Sequence[Any]) -> Any:
            values = np.array(column)
            if values.dtype is dtype and values.shape == shape:
                return values
            return fitted_all(values, shape, dtype, casting).astype(dtype)

        def arrays(column: Sequence[Any]) -> Any:
            try:
                alike = column[0].dtype is plain and countOf(map(DTYPE, column), plain)
                if alike == len(lengths) == countOf(map(SHAPE, column), inner):
                    return np.ndarray(shape, dtype, bytearray().join(column))  # faster than NumPy's concatenate
            except (AttributeError, BufferError, TypeError, ValueError):
                pass  # lists, or arrays that are not contiguous
            if list(map(len, column)) != lengths:
                raise ValueError(lengths)
            joined = np.concatenate(column, dtype=dtype, casting=casting)
            if joined.shape != flat or type(joined) is not np.ndarray:
                raise ValueError(joined.shape)
            return joined.reshape(shape)

        def array(column: Sequence[Any]) -> Any:
            (one,) = column
            if type(one) is np.ndarray and one.dtype is dtype and one.shape == inner:
                return one[None].copy()
            return arrays(column)

        gather = numbers if not inner else array if len(lengths) == 1 else arrays
        return (lambda column: tuple(gather(column))) if self.rows else gather

    def _join(self, column: Sequence[Any], out: NDArray[Any]) -> None:
        if list(map(len, column)) != self.lengths:  # one that is too long must not make up for one that is too short
            raise ValueError(self.lengths)
        try:
            np.concatenate(column, out=out, casting=self.casting)
        except TypeError:
            out[...] = fitted_all(np.concatenate(column), out.shape, self.dtype, self.casting)

    def put(self, i: int, part: Any) -> None:
        plain = type(part) is np.ndarray and part.dtype is self.dtype and part.shape == self.shape
        self.array[i] = part if plain or not self.check else self._checked(i, part)

    def _checked(self, i: int, part: Any) -> NDArray[Any]:
        if part is None:
            raise self._other(i, "None")
        try:
            array = np.asarray(part)
        except (TypeError, ValueError):
            raise self._other(i, f"{text_of(part)}, of which no array can be made") from None
        if array.shape != self.shape:
            raise self._other(i, f"shape {array.shape} (dtype {array.dtype})")
        found = fitted(array, self.dtype, self.casting)
        if found is not None:
            return found
        if self.dtype.kind in "biu" and array.dtype.kind in "biuf":
            wrong = next(one for one in array.flat if fitted(one, self.dtype, self.casting) is None)
            raise self._other(i, f"{text_of(wrong)} (dtype {array.dtype}), which it cannot hold")
        raise self._other(i, f"{text_of(part)} (dtype {array.dtype})")

    def _other(self, i: int, seen: str) -> ObservationMismatch:
        return self._mismatch(i, f"of shape {self.shape} and dtype {self.dtype}", seen)


class _Odd(_Part):
    """Keeps one part of the elements as it is; where its space has a layout, it must be what the layout holds."""

    def __init__(self, parts: list[Any], space: Any, path: Path, first: int, *, check: bool) -> None:
        super().__init__(path, first)
        self.parts, self.space = parts, space
        self.scratch = scratch(space) if check and ops.layout(space) is not None else None
        if self.scratch is None:
            self.put = self.parts.__setitem__  # type: ignore[method-assign,assignment]

    def put(self, i: int, part: Any) -> None:
        self.parts[i] = _judged(self, i, self.space, part, self.scratch)

    @property
    def gather(self) -> Callable[[Sequence[Any]], Any]:

        def gather(column: Sequence[Any]) -> Any:
            if self.scratch is not None and not all(map(self.space.contains, column)):
                raise ValueError(column)
            return ops.concatenate(self.space, column, ops.create_empty_array(self.space, len(column)))

        return gather


class _Encoded(_Part):
    """Writes one part of the elements into the arrays of its space's layout."""

    def __init__(self, space: Any, arrays: Sequence[NDArray[Any]], path: Path, first: int, *, check: bool) -> None:
        super().__init__(path, first)
        self.space, self.arrays = space, arrays
        self.scratch = scratch(space) if check else None

    def put(self, i: int, part: Any) -> None:
        if self.scratch is not None:
            _judged(self, i, self.space, part, self.scratch)
        try:
            self.space.encode(part, [array[i, ...] for array in self.arrays])
        except Exception as exc:
            raise _unlike(self, i, self.space, part) from exc


def _judged(where: _Part, i: int, space: Any, part: Any, arrays: Any) -> Any:
    """A part that is in its space, or that its layout holds all the same."""
    try:
        fits = space.contains(part) or is_kept(space, part, arrays)
    except Exception as exc:
        raise _unlike(where, i, space, part) from exc
    if not fits:
        raise _unlike(where, i, space, part)
    return part


def _unlike(where: _Part, i: int, space: Any, part: Any) -> ObservationMismatch:
    return where._mismatch(i, f"in {space}", text_of(part))  # noqa: SLF001 - of this module


class _Product(_Part):
    """Hands the parts of elements to those who write them."""

    def __init__(self, children: list[tuple[Any, _Part]], kind: Any, path: Path, first: int) -> None:
        super().__init__(path, first)
        self.children, self.kind = children, kind

    def fill(self, column: Sequence[Any]) -> None:
        self._assert_all(column)
        for key, child in self.children:
            child.fill([element[key] for element in column])

    @property
    def gather(self) -> Callable[[Sequence[Any]], Any]:
        """What makes the batches of all parts."""
        kind, parts = self.kind, [(key, itemgetter(key), child.gather) for key, child in self.children]
        if kind is dict and parts:
            return lambda column: {key: gather(list(map(part, column))) for key, part, gather in parts}

        def gather_all(column: Sequence[Any]) -> Any:
            self._assert_all(column)
            batches = [gather(list(map(part, column))) for _, part, gather in parts]
            return tuple(batches) if kind is tuple else kind._make(batches) if batches else kind()

        return gather_all

    def _assert_all(self, column: Sequence[Any]) -> None:
        if self.kind is dict and self.children:
            return  # a missing key is found where it is looked for, and further ones are left out
        if self.kind is dict or list(map(len, column)).count(len(self.children)) != len(column):
            for i, element in enumerate(column):
                self._assert_whole(i, element)

    def put(self, i: int, part: Any) -> None:
        self._assert_whole(i, part)
        for key, child in self.children:
            try:
                inner = part[key]
            except (KeyError, IndexError, TypeError):
                raise self._other(i, part) from None
            child.put(i, inner)

    def _assert_whole(self, i: int, part: Any) -> None:
        if self.kind is dict:
            if not (self.children or isinstance(part, Mapping)):
                raise self._other(i, part)
        elif not hasattr(part, "__len__") or len(part) != len(self.children):
            raise self._other(i, part)

    def _other(self, i: int, part: Any) -> ObservationMismatch:
        keys = [key for key, _ in self.children] if self.kind is dict else len(self.children)
        wanted = f"that is a dictionary with {keys}" if self.kind is dict else f"that is a tuple of {keys}"
        return self._mismatch(i, wanted, text_of(part))


def _part_if_any(space: Any, path: Path) -> Any:
    """The space of an object part; None where the plan is of a space that is made otherwise, or that is not known."""
    try:
        return part_of(space, path)
    except (LookupError, AttributeError):
        return None


def _built(
    tree: Any, path: Path, first: int, columns: Sequence[Any], encoded: Sequence[Any], object_parts: Sequence[Any]
) -> Any:
    """What writes a part; a function of the module, since one that is its own closure keeps the arrays in a circle."""
    if isinstance(tree, int):
        return columns[tree] if tree >= 0 else object_parts[~tree]
    kind, children = tree
    if kind is None:
        return encoded[children]
    inner = [(key, _built(child, (*path, key), first, columns, encoded, object_parts)) for key, child in children]
    return _Product(inner, kind, path, first)


class BatchWriter:
    """Writes elements into the places of a batch.

    Args:
        plan: of the space.
        arrays: for each leaf, with the places in front.
        n: number of places.
        space: of one element; needed where the plan has encoded parts, and to look at object parts.
        check: whether shapes and dtypes must be right, and parts that a layout describes what it holds.
        first: index of the environment of the first place, for messages.
        object_parts: where the object parts are kept, for each a list of n; by default in lists of its own.
    """

    def __init__(
        self,
        plan: BatchPlan,
        arrays: Sequence[NDArray[Any]],
        n: int,
        space: Any = None,
        *,
        check: bool = True,
        first: int = 0,
        object_parts: Sequence[list[Any]] | None = None,
    ) -> None:
        columns = [_Column(a, leaf, first, check=check) for a, leaf in zip(arrays, plan.leaves, strict=True)]
        self._columns = columns if plan.dense else []
        encoded = [
            _Encoded(part_of(space, path), arrays[start:stop], path, first, check=check)
            for path, start, stop in plan.encoded
        ]
        self.object_parts = [[None] * n for _ in plan.object_parts] if object_parts is None else object_parts
        """For each object part, that of every element."""
        kept = [
            _Odd(parts, _part_if_any(space, path), path, first, check=check)
            for parts, path in zip(self.object_parts, plan.object_parts, strict=True)
        ]
        root = _built(plan.tree, (), first, columns, encoded, kept)
        self.fill: Callable[[Sequence[Any]], None] = root.fill
        """Write all elements; raises where one does not fit, in which case `put` tells which."""
        self.put: Callable[[int, Any], None] = root.put
        """Write one element into a place; an `ObservationMismatch` says what is wrong with it."""
        self.gather: Callable[[Sequence[Any]], Any] = root.gather
        """The batch of all elements in new arrays, which are not those here; raises where one does not plainly fit."""

    def move(self, arrays: Sequence[NDArray[Any]]) -> None:
        """Write into other arrays from now on; only where the plan is dense.

        Args:
            arrays: like those of before.

        Raises:
            ValueError: there is another number of them, or one is not contiguous, or of another shape or dtype.
        """
        columns = self._columns
        if len(arrays) != len(columns):
            raise ValueError(f"Expected {len(columns)} arrays, one for each part of an element, got {len(arrays)}")
        for column, array in zip(columns, arrays, strict=True):
            column.require_alike(array)
        for column, array in zip(columns, arrays, strict=True):
            column.move(array)
