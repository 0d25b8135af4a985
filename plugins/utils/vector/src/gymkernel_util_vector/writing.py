"""The class `BatchWriter`, which writes elements of a space into the arrays of a batch, one by one or all at once."""

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


class ObservationMismatch(ValueError):  # noqa: N818 - the class is public under this name
    """Raised if an observation does not fit its space. The message names the environment and the part."""


class _Part:
    """A base class for writers that store one part of every element.

    Args:
        path: the keys that lead to the part of an element, for error messages.
        first: the index of the first environment, for error messages.
    """

    def __init__(self, path: Path, first: int) -> None:
        self.path, self.first = path, first

    def fill(self, column: Sequence[Any]) -> None:
        """Write the part of every element, one by one unless a subclass overrides this method."""
        for i, part in enumerate(column):
            self.put(i, part)

    def put(self, i: int, part: Any) -> None:
        """Write the part of one element."""
        raise NotImplementedError

    @property
    def gather(self) -> Callable[[Sequence[Any]], Any]:
        """A function that creates a batch of the part in new arrays. It raises an error if an element does not fit."""

        def refuse(column: Sequence[Any]) -> Any:
            raise NotImplementedError

        return refuse

    def mismatch(self, i: int, expected: str, seen: str) -> ObservationMismatch:
        """Create the error that reports that the part of an element does not fit."""
        where = "".join(f"[{key!r}]" for key in self.path)
        return ObservationMismatch(
            f"Expected an observation{where} {expected} from environment {self.first + i}, got {seen}"
        )


class _ArrayPart(_Part):
    """A writer for a part that is stored in an array.

    Args:
        array: the array to write into, whose first axis is the batch axis.
        leaf: the plan's description of the array.
        first: the index of the first environment, for error messages.
        check: whether to check shapes and dtypes.
    """

    def __init__(self, array: NDArray[Any], leaf: Leaf, first: int, *, check: bool) -> None:
        super().__init__(leaf.path, first)
        self.array, self.check, self.rows = array, check, leaf.rows
        self.dtype, self.shape = array.dtype, array.shape[1:]
        self.casting: Any = casting_of(self.dtype) if check else "unsafe"
        self.lengths = list(self.shape[:1]) * len(array)
        if self.shape:
            self.flat = array.reshape(math.prod(array.shape[:2]), *self.shape[1:])

    def check_replacement(self, array: NDArray[Any]) -> None:
        """Check that another array can replace the current one."""
        same = array.dtype == self.dtype and array.shape == self.array.shape
        if not (same and array.flags.c_contiguous and array.flags.writeable):
            where = "".join(f"[{key!r}]" for key in self.path)
            raise ValueError(
                f"Expected a contiguous, writeable array of shape {self.array.shape} and dtype {self.dtype} for "
                f"observations{where}, got an array of shape {array.shape} and dtype {array.dtype}"
            )

    def move(self, array: NDArray[Any]) -> None:
        """Write into another array from now on. The array has already been checked."""
        self.array = array
        if self.shape:
            self.flat = array.reshape(self.flat.shape)

    def fill(self, column: Sequence[Any]) -> None:
        """Write the parts of all elements at once, which is several times as fast as writing them one by one."""
        try:
            if self.shape:
                self._join(column, self.flat)
            else:
                self.array[...] = fitted_all(np.array(column), self.array.shape, self.dtype, self.casting)
        except (TypeError, ValueError):
            # An element does not fit, or it requires a conversion.
            super().fill(column)

    @property
    def gather(self) -> Callable[[Sequence[Any]], Any]:
        """A function that creates a new array (or a tuple of its rows) from the part of every element."""
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
                    # Joining the bytes is faster than calling `np.concatenate`.
                    return np.ndarray(shape, dtype, bytearray().join(column))
            except (AttributeError, BufferError, TypeError, ValueError):
                pass  # elements are lists or arrays that are not contiguous
            if list(map(len, column)) != lengths:
                raise ValueError(lengths)
            joined = np.concatenate(column, dtype=dtype, casting=casting)
            if joined.shape != flat or type(joined) is not np.ndarray:
                raise ValueError(joined.shape)
            return joined.reshape(shape)

        def array(column: Sequence[Any]) -> Any:
            (element,) = column
            if type(element) is np.ndarray and element.dtype is dtype and element.shape == inner:
                return element[None].copy()
            return arrays(column)

        gather = numbers if not inner else array if len(lengths) == 1 else arrays
        return (lambda column: tuple(gather(column))) if self.rows else gather

    def _join(self, column: Sequence[Any], out: NDArray[Any]) -> None:
        # Each length is checked, because the total length may be correct by chance.
        if list(map(len, column)) != self.lengths:
            raise ValueError(self.lengths)
        try:
            np.concatenate(column, out=out, casting=self.casting)
        except TypeError:
            out[...] = fitted_all(np.concatenate(column), out.shape, self.dtype, self.casting)

    def put(self, i: int, part: Any) -> None:
        plain = type(part) is np.ndarray and part.dtype is self.dtype and part.shape == self.shape
        self.array[i] = part if plain or not self.check else self._convert(i, part)

    def _convert(self, i: int, part: Any) -> NDArray[Any]:
        """Convert a part to an array that fits. If this is not possible, raise an `ObservationMismatch`."""
        if part is None:
            raise self._array_mismatch(i, "None")
        try:
            array = np.asarray(part)
        except (TypeError, ValueError):
            raise self._array_mismatch(i, f"{text_of(part)}, which cannot be converted to an array") from None
        if array.shape != self.shape:
            raise self._array_mismatch(i, f"shape {array.shape} (dtype {array.dtype})")
        converted = fitted(array, self.dtype, self.casting)
        if converted is not None:
            return converted
        if self.dtype.kind in "biu" and array.dtype.kind in "biuf":
            wrong = next(number for number in array.flat if fitted(number, self.dtype, self.casting) is None)
            raise self._array_mismatch(i, f"{text_of(wrong)} (dtype {array.dtype}), which the dtype cannot represent")
        raise self._array_mismatch(i, f"{text_of(part)} (dtype {array.dtype})")

    def _array_mismatch(self, i: int, seen: str) -> ObservationMismatch:
        return self.mismatch(i, f"of shape {self.shape} and dtype {self.dtype}", seen)


class _ObjectPart(_Part):
    """A writer for a part that is stored as an object. If the part's space has a layout, the object must fit it."""

    def __init__(self, parts: list[Any], space: Any, path: Path, first: int, *, check: bool) -> None:
        super().__init__(path, first)
        self.parts, self.space = parts, space
        self.scratch = scratch(space) if check and ops.layout(space) is not None else None
        if self.scratch is None:
            self.put = self.parts.__setitem__  # type: ignore[method-assign,assignment]

    def put(self, i: int, part: Any) -> None:
        self.parts[i] = _check_part(self, i, self.space, part, self.scratch)

    @property
    def gather(self) -> Callable[[Sequence[Any]], Any]:
        """A function that creates a batch from the part of every element."""

        def gather(column: Sequence[Any]) -> Any:
            if self.scratch is not None and not all(map(self.space.contains, column)):
                raise ValueError(column)
            return ops.concatenate(self.space, column, ops.create_empty_array(self.space, len(column)))

        return gather


class _EncodedPart(_Part):
    """A writer for a part that is stored in encoded form, as described by the layout of its space."""

    def __init__(self, space: Any, arrays: Sequence[NDArray[Any]], path: Path, first: int, *, check: bool) -> None:
        super().__init__(path, first)
        self.space, self.arrays = space, arrays
        self.scratch = scratch(space) if check else None

    def put(self, i: int, part: Any) -> None:
        if self.scratch is not None:
            _check_part(self, i, self.space, part, self.scratch)
        try:
            self.space.encode(part, [array[i, ...] for array in self.arrays])
        except Exception as exc:
            raise _space_mismatch(self, i, self.space, part) from exc


def _check_part(writer: _Part, i: int, space: Any, part: Any, arrays: Any) -> Any:
    """Return a part if its space contains it or if the layout can store it unchanged. Otherwise, raise an error."""
    try:
        fits = space.contains(part) or is_kept(space, part, arrays)
    except Exception as exc:
        raise _space_mismatch(writer, i, space, part) from exc
    if not fits:
        raise _space_mismatch(writer, i, space, part)
    return part


def _space_mismatch(writer: _Part, i: int, space: Any, part: Any) -> ObservationMismatch:
    return writer.mismatch(i, f"in {space}", text_of(part))


class _ProductPart(_Part):
    """A writer for a dict or tuple. It passes each part to another writer."""

    def __init__(self, children: list[tuple[Any, _Part]], kind: Any, path: Path, first: int) -> None:
        super().__init__(path, first)
        self.children, self.kind = children, kind

    def fill(self, column: Sequence[Any]) -> None:
        self._assert_all(column)
        for key, child in self.children:
            child.fill([element[key] for element in column])

    @property
    def gather(self) -> Callable[[Sequence[Any]], Any]:
        """A function that creates a dict or tuple with the batches of all parts."""
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
            return  # a missing key raises an error later, and additional keys are ignored
        if self.kind is dict or list(map(len, column)).count(len(self.children)) != len(column):
            for i, element in enumerate(column):
                self._assert_whole(i, element)

    def put(self, i: int, part: Any) -> None:
        self._assert_whole(i, part)
        for key, child in self.children:
            try:
                inner = part[key]
            except (KeyError, IndexError, TypeError):
                raise self._product_mismatch(i, part) from None
            child.put(i, inner)

    def _assert_whole(self, i: int, part: Any) -> None:
        if self.kind is dict:
            if not (self.children or isinstance(part, Mapping)):
                raise self._product_mismatch(i, part)
        elif not hasattr(part, "__len__") or len(part) != len(self.children):
            raise self._product_mismatch(i, part)

    def _product_mismatch(self, i: int, part: Any) -> ObservationMismatch:
        keys = [key for key, _ in self.children] if self.kind is dict else len(self.children)
        expected = f"that is a dictionary with {keys}" if self.kind is dict else f"that is a tuple of {keys}"
        return self.mismatch(i, expected, text_of(part))


def _find_part_space(space: Any, path: Path) -> Any:
    """Return the space of a part that is stored as an object, or None if it is unknown."""
    try:
        return part_of(space, path)
    except (LookupError, AttributeError):
        return None


def _build_writer(
    tree: Any, path: Path, first: int, columns: Sequence[Any], encoded: Sequence[Any], object_parts: Sequence[Any]
) -> Any:
    """Create the writer for a part.

    This function is not a closure, because a recursive closure is a reference cycle that would keep the arrays alive.
    """
    if isinstance(tree, int):
        return columns[tree] if tree >= 0 else object_parts[~tree]
    kind, children = tree
    if kind is None:
        return encoded[children]
    inner = [
        (key, _build_writer(child, (*path, key), first, columns, encoded, object_parts)) for key, child in children
    ]
    return _ProductPart(inner, kind, path, first)


class BatchWriter:
    """A writer that stores elements of a space in the rows of a batch.

    Args:
        plan: the array plan of the batch.
        arrays: the arrays of the batch, in the order of the plan, with n rows each.
        n: the number of rows.
        space: the space that each element belongs to. It is required if the plan has encoded parts, or if parts that
            are stored as objects are checked.
        check: whether to check shapes and dtypes, and whether parts fit the layout of their space.
        first: the index of the environment in the first row, for error messages.
        object_parts: one list of n items for each part that is stored as objects. If None, new lists are created.
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
        columns = [_ArrayPart(a, leaf, first, check=check) for a, leaf in zip(arrays, plan.leaves, strict=True)]
        self._columns = columns if plan.dense else []
        encoded = [
            _EncodedPart(part_of(space, path), arrays[start:stop], path, first, check=check)
            for path, start, stop in plan.encoded
        ]
        self.object_parts = [[None] * n for _ in plan.object_parts] if object_parts is None else object_parts
        """One list for each part that is stored as objects. The list contains the part of every element."""
        objects = [
            _ObjectPart(parts, _find_part_space(space, path), path, first, check=check)
            for parts, path in zip(self.object_parts, plan.object_parts, strict=True)
        ]
        root = _build_writer(plan.tree, (), first, columns, encoded, objects)
        self.fill: Callable[[Sequence[Any]], None] = root.fill
        """A function that writes all elements. If it raises an error, `put` determines which element does not fit."""
        self.put: Callable[[int, Any], None] = root.put
        """A function that writes one element into a row, or raises an `ObservationMismatch`."""
        self.gather: Callable[[Sequence[Any]], Any] = root.gather
        """A function that returns a batch in new arrays, or raises an error if an element must be converted."""

    def move(self, arrays: Sequence[NDArray[Any]]) -> None:
        """Write into other arrays from now on. The plan must be dense.

        Args:
            arrays: arrays with the same shapes and dtypes as the current arrays.

        Raises:
            ValueError: if the number of arrays is wrong, or if an array is not contiguous or has the wrong shape or
                dtype.
        """
        columns = self._columns
        if len(arrays) != len(columns):
            raise ValueError(f"Expected {len(columns)} arrays, one for each part of an element, got {len(arrays)}")
        for column, array in zip(columns, arrays, strict=True):
            column.check_replacement(array)
        for column, array in zip(columns, arrays, strict=True):
            column.move(array)
