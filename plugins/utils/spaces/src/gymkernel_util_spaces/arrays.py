"""`plan_of`: how elements of a space stand in arrays, worked out once per space and kept by it.

A plan serves flattening (`codec`), the layout, batches and buffers (`batch`); each is worked out at its first use. A
class says beside its definition what cannot be read from its `layout()`: `register_codec` how its elements become
vectors, `register_arrays` that a batch of them is one array, `register_nest` that they are dicts or tuples of others.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from itertools import accumulate, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gymkernel import ops
from gymkernel.space import Space
from gymkernel_util_spaces.batches import BatchPlan, Leaf, Path, nested, part_of, require_alike
from gymkernel_util_spaces.vectors import Array, Codec, of_array, of_layout, of_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from gymkernel.space import Layout

__all__ = ["ArrayPlan", "BatchPlan", "Codec", "Leaf", "Path", "iterate_parts", "nested", "part_of", "plan_of"]
__all__ += ["register", "register_arrays", "register_codec", "register_nest", "require_alike"]

ARRAY = np.ndarray
_makers: dict[type, Callable[[Any], Codec | None]] = {}
_nests: set[type] = set()
_VECTORS = (ops.flatdim, ops.flatten, ops.unflatten)


class ArrayPlan:
    """How elements of a space stand in arrays.

    It belongs to the space as it was when it was made: `plan_of` makes another after a change. In a copy or a pickle of
    the space it is None, so that a copy makes its own.

    Args:
        space: of any library.

    >>> from gymkernel.space import Field
    >>> class Angle(Space):
    ...     def layout(self):
    ...         return (Field.of(float, (1,)),)
    >>> plan_of(Angle()).codec.flatten(np.array([0.5]))
    array([0.5])
    """

    def __init__(self, space: Any) -> None:
        self.space, self.version = space, ops.version
        self._batches: dict[tuple[bool, bool], BatchPlan] = {}
        self._bound: dict[Any, list[tuple[Any, Any, Any]]] = {}

    def __reduce__(self) -> Any:
        return type(None), ()

    @cached_property
    def codec(self) -> Codec | None:
        """How elements become vectors; None where they have no fixed length."""
        cls = type(self.space)
        owner = next((base for base in cls.__mro__ if base in _makers), None)
        if owner is not None and all(one.dispatch(cls) is one.dispatch(owner) for one in _VECTORS):
            return _makers[owner](self.space)
        if any(ops.is_registered(one, cls) for one in _VECTORS):
            return _of_operations(self.space) if getattr(self.space, "is_np_flattenable", False) else None
        return self.by_layout

    @cached_property
    def by_layout(self) -> Codec | None:
        """How elements become vectors where the layout alone says it; None where there is no layout."""
        fields = ops.layout(self.space)
        return None if fields is None else of_layout(self.space, fields)

    @cached_property
    def flatten(self) -> Callable[[Any], NDArray[Any]]:
        """`flatten(x)`: what `ops.flatten` does by default."""
        return (self.by_layout or of_layout(self.space, ops.require_layout(self.space, "flatten"))).flatten

    @cached_property
    def unflatten(self) -> Callable[[Any], Any]:
        """`unflatten(x)`: what `ops.unflatten` does by default; the element has memory of its own."""
        whole = self.by_layout or of_layout(self.space, ops.require_layout(self.space, "unflatten"))
        size, read, array = whole.size, whole.reader(0), np.array

        def unflatten(x: Any) -> Any:
            if len(x) != size:
                message = f"unflatten expects a vector of length {size} for {self.space}, got one of length {len(x)}"
                raise ValueError(message)
            return read(array(x))

        if not isinstance(whole.form, Array):
            return unflatten
        shape, dtype, line, flat = whole.form.shape, whole.dtype, len(whole.form.shape) == 1, (size,)

        def unflatten_array(x: Any) -> Any:
            if x.__class__ is not ARRAY or x.shape != flat:
                return unflatten(x)
            return x.astype(dtype) if line else x.astype(dtype).reshape(shape)

        return unflatten_array

    def batch(self, *, shared: bool = True, encode: bool = True) -> BatchPlan:
        """What a batch of elements consists of; the arguments are those of `BatchPlan.of`.

        Args:
            shared: whether the arrays may be in memory that processes share.
            encode: whether parts without arrays of their own are laid out as their `layout` says.
        """
        key = shared, encode
        if key not in self._batches:
            self._batches[key] = BatchPlan.of(self.space, shared=shared, encode=encode)
        return self._batches[key]

    # What follows is of nests alone: dicts and tuples of other spaces' elements.

    @cached_property
    def parts(self) -> list[tuple[Any, ArrayPlan]]:
        """The plans of the spaces inside, by their keys or indexes, in the order of the elements."""
        inner = self.space.spaces
        return [(key, plan_of(part)) for key, part in (inner.items() if self.named else enumerate(inner))]

    @cached_property
    def named(self) -> bool:
        """Whether elements are dicts."""
        return isinstance(self.space.spaces, Mapping)

    def expect_whole(self, x: Any) -> None:
        """Refuse a tuple with more or fewer parts; a dict that lacks one is refused where that is looked for.

        Args:
            x: an element of a space with parts.

        Raises:
            ValueError: it has another number of parts.
        """
        if not self.named and len(x) != len(self.parts):
            raise ValueError(f"Expected an element with {len(self.parts)} parts, got {len(x)}")

    @cached_property
    def is_batch(self) -> bool:
        """Whether every space inside is the space of a batch."""
        spaces = [part.space for _, part in self.parts]
        return bool(spaces) and all(ops.is_registered(ops.iterate, type(space)) for space in spaces)

    def nested(self, values: Iterable[Any]) -> Any:
        """A dict or tuple with one value for each part.

        Args:
            values: one for each part, in the order of `parts`.
        """
        return {key: value for (key, _), value in zip(self.parts, values, strict=True)} if self.named else tuple(values)

    def bound(self, operation: Any) -> list[tuple[Any, Any, Any]]:
        """For each part its key, what the operation does for its class, and its space.

        Args:
            operation: a table of `gymkernel.ops`.
        """
        if operation not in self._bound:
            self._bound[operation] = [
                (key, operation.dispatch(type(part.space)), part.space) for key, part in self.parts
            ]
        return self._bound[operation]

    @cached_property
    def _placed(self) -> list[tuple[Any, Any, Layout | None]]:
        """Keys, spaces and layouts in the order of the layout: keys sorted, so that what is equal has one layout."""
        parts = [(key, part.space, ops.layout(part.space)) for key, part in self.parts]
        return sorted(parts, key=lambda part: (type(part[0]).__name__, repr(part[0]))) if self.named else parts

    @cached_property
    def _places(self) -> list[tuple[Any, Any, slice]]:
        ends = list(accumulate((len(fields or ()) for *_, fields in self._placed), initial=0))
        return [(key, space, slice(*ends[i : i + 2])) for i, (key, space, _) in enumerate(self._placed)]

    @cached_property
    def fields(self) -> Layout | None:
        """The layouts of all parts, one after another; None where one has none."""
        layouts = [fields for *_, fields in self._placed]
        return None if None in layouts else tuple(field for fields in layouts for field in fields or ())

    def encode(self, x: Any, out: Sequence[NDArray[Any]]) -> None:
        """Write every part of an element into its arrays of the layout.

        Args:
            x: an element of the space.
            out: an array for each field of the layout, which are written to.
        """
        self.expect_whole(x)
        for key, space, place in self._places:
            space.encode(x[key], out[place])

    def decode(self, arrays: Sequence[NDArray[Any]]) -> Any:
        """Make an element of the arrays of the layout.

        Args:
            arrays: an array for each field of the layout.
        """
        made = {key: space.decode(arrays[place]) for key, space, place in self._places}
        return self.nested([made[key] for key, _ in self.parts])


def plan_of(space: Any) -> ArrayPlan:
    """The plan of a space, which it keeps; one of another library stays as it is, and has a new plan at every call.

    Args:
        space: a space of any library.
    """
    plan: ArrayPlan | None = getattr(space, "_array_plan", None)
    if plan is None or plan.version != ops.version:
        plan = ArrayPlan(space)
        if isinstance(space, Space):
            space._array_plan = plan  # noqa: SLF001 - declared by `Space`
    return plan


def _of_operations(space: Any) -> Codec:
    """The codec of a space whose class has operations registered, and no codec that agrees with them."""
    cls = type(space)
    size, dtype = ops.flatdim(space), ops.flatten_space(space).dtype
    flatten, unflatten = ops.flatten.dispatch(cls), ops.unflatten.dispatch(cls)

    def writer(offset: int) -> Callable[[Any, NDArray[Any]], None]:
        place = slice(offset, offset + size)

        def write(x: Any, out: NDArray[Any]) -> None:
            out[place] = flatten(space, x)

        return write

    def reader(offset: int) -> Callable[[NDArray[Any]], Any]:
        place = slice(offset, offset + size)
        return lambda x: unflatten(space, np.asarray(x[place], dtype))

    return Codec(size, dtype, writer, reader)


def register(cls: type) -> Callable[[Callable[[Any], Codec | None]], Callable[[Any], Codec | None]]:
    """Register the function that makes the codec of a class; it must agree with the `flatten` of that class."""

    def decorate(maker: Callable[[Any], Codec | None]) -> Callable[[Any], Codec | None]:
        _makers[cls] = maker
        return maker

    return decorate


def register_codec(cls: type) -> Callable[[Callable[[Any], Codec | None]], Callable[[Any], Codec | None]]:
    """Register the function that makes the codec of a class, and the operations that follow from it.

    Those that are registered for the class already stay as they are, here and in the functions below.
    """
    _register_missing(cls, flatdim=_flatdim, flatten=_flatten, unflatten=_unflatten)
    return register(cls)


def _register_missing(cls: type, **functions: Any) -> None:
    for name, function in functions.items():
        if cls not in ops.OPERATIONS[name].registry:
            ops.OPERATIONS[name].register(cls, function)


def _flatdim(space: Any) -> int:
    return (plan_of(space).codec or _no_codec(space)).size


def _flatten(space: Any, x: Any) -> Any:
    return (plan_of(space).codec or _no_codec(space)).flatten(x)


def _unflatten(space: Any, x: Any) -> Any:
    return (plan_of(space).codec or _no_codec(space)).read(x)


def _no_codec(space: Any) -> NoReturn:
    message = f"{space} does not flatten to a vector of one length: a space inside has elements of various sizes"
    raise ValueError(message)


def register_arrays(cls: type, *, one_hot: bool = False) -> None:
    """Register the operations of a class whose elements are arrays of the shape and dtype of the space.

    A batch of them is one array, with the elements along its first axis.

    Args:
        cls: of spaces.
        one_hot: whether elements flatten to something else than their numbers.
    """
    _register_missing(cls, create_empty_array=_empty_array, concatenate=_stack, iterate=_rows)
    _register_missing(cls, is_space_dtype_shape_equiv=_are_alike)
    if not one_hot:
        _register_missing(cls, flatdim=_numbers, flatten=_flatten_array, unflatten=_unflatten_array)
        _makers[cls] = _array_codec


def _array_codec(space: Any) -> Codec:
    return of_array(space.shape, space.dtype)


def _numbers(space: Any) -> int:
    return math.prod(space.shape)


def _flatten_array(space: Any, x: Any) -> NDArray[Any]:
    if x.__class__ is not ARRAY or x.dtype is not space.dtype:
        x = np.asarray(x, space.dtype)
    return x.flatten()  # type: ignore[no-any-return]


def _unflatten_array(space: Any, x: Any) -> NDArray[Any]:
    return np.asarray(x, space.dtype).reshape(space.shape)


def _empty_array(space: Any, n: int | None = 1, fn: Callable[..., Any] = np.zeros) -> Any:
    return fn(space.shape if n is None else (n, *space.shape), dtype=space.dtype)


def _stack(space: Any, items: Iterable[Any], out: NDArray[Any]) -> NDArray[Any]:
    rows = list(items)
    if not space.shape:
        return np.stack(rows, axis=0, out=out)
    length = space.shape[0]
    if list(map(len, rows)).count(length) != len(rows):  # too long and too short must not pass for right together
        shapes = sorted({np.shape(row) for row in rows})
        raise ValueError(f"Expected arrays of shape {space.shape} for {space}, got {shapes}")
    np.concatenate(rows, axis=0, out=out.reshape(len(out) * length, *space.shape[1:]))
    return out


def _rows(space: Any, items: Iterable[Any]) -> Iterator[Any]:
    try:
        return iter(items)
    except TypeError:
        message = f"Cannot iterate over {items!r}: a batch of {space} has the elements along its first axis"
        raise TypeError(message) from None


def _are_alike(space_1: Any, space_2: Any) -> bool:
    return type(space_1) is type(space_2) and space_1.shape == space_2.shape and space_1.dtype == space_2.dtype


def register_nest(cls: type) -> None:
    """Register the operations of a class whose elements are dicts or tuples: of an element of each of its `spaces`."""
    _nests.add(cls)
    _makers[cls] = _nest_codec
    _register_missing(cls, flatdim=_flatdim, flatten=_flatten_nest, unflatten=_unflatten_nest)
    _register_missing(cls, concatenate=_concatenate_nest, create_empty_array=_empty_nest)
    _register_missing(cls, is_space_dtype_shape_equiv=_are_alike_nests, iterate=_iterate_nest)
    _register_missing(cls, read_from_shared_memory=_read_nest, write_to_shared_memory=_write_nest)
    for name in ("create_zero_array", "create_shared_memory"):
        _register_missing(cls, **{name: _of_each_part(ops.OPERATIONS[name])})


def _nest_codec(space: Any) -> Codec | None:
    plan = plan_of(space)
    parts = [(key, part.codec) for key, part in plan.parts]
    found = [(key, part) for key, part in parts if part is not None]
    return of_parts(found, named=plan.named) if len(found) == len(parts) else None


def _flatten_nest(space: Any, x: Any) -> Any:
    plan = plan_of(space)
    if plan.codec is not None:
        return plan.codec.flatten(x)
    plan.expect_whole(x)
    return plan.nested([ops.flatten(part.space, x[key]) for key, part in plan.parts])


def _unflatten_nest(space: Any, x: Any) -> Any:
    plan = plan_of(space)
    if plan.codec is not None:
        return plan.codec.read(x)
    kind = dict if plan.named else tuple
    if not isinstance(x, kind):
        raise TypeError(f"Cannot unflatten {type(x).__name__} to {space}: its elements flatten to {kind.__name__}s")
    return plan.nested([ops.unflatten(part.space, x[key]) for key, part in plan.parts])


def _concatenate_nest(space: Any, items: Iterable[Any], out: Any) -> Any:
    rows, plan = list(items), plan_of(space)
    parts = plan.bound(ops.concatenate)
    if plan.named:
        return {key: join(part, list(map(itemgetter(key), rows)), out[key]) for key, join, part in parts}
    return tuple([join(part, list(map(itemgetter(key), rows)), out[key]) for key, join, part in parts])


def _empty_nest(space: Any, n: int | None = 1, fn: Callable[..., Any] = np.zeros) -> Any:
    plan = plan_of(space)
    parts = plan.bound(ops.create_empty_array)
    if plan.named:
        return {key: make(part, n, fn) for key, make, part in parts}
    return tuple([make(part, n, fn) for _, make, part in parts])


def _of_each_part(operation: Any) -> Callable[..., Any]:
    def derived(space: Any, *args: Any, **kwargs: Any) -> Any:
        plan = plan_of(space)
        return plan.nested([do(part, *args, **kwargs) for _, do, part in plan.bound(operation)])

    return derived


def _read_nest(space: Any, shared_memory: Any, n: int = 1) -> Any:
    plan = plan_of(space)
    parts = plan.bound(ops.read_from_shared_memory)
    return plan.nested([read(part, shared_memory[key], n) for key, read, part in parts])


def _write_nest(space: Any, index: int, value: Any, shared_memory: Any) -> None:
    plan = plan_of(space)
    plan.expect_whole(value)
    for key, write, part in plan.bound(ops.write_to_shared_memory):
        write(part, index, value[key], shared_memory[key])


def _iterate_nest(space: Any, items: Any) -> Iterator[Any]:
    """Over batches of the parts together; where a part of a Tuple is a single space and no batch, over the items."""
    plan = plan_of(space)
    if not plan.named and not plan.is_batch:
        return iter(items)
    rows = iterate_parts([part.space for _, part in plan.parts], [items[key] for key, _ in plan.parts])
    return map(dict, map(zip, repeat([key for key, _ in plan.parts]), rows)) if plan.named else rows


def iterate_parts(spaces: Collection[Any], batches: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """The elements of several batches side by side; a part that holds nothing, such as `Tuple(())`, is in every one.

    Args:
        spaces: the batched space of each part.
        batches: a batch for each part, all of the same number of elements.

    Returns:
        A tuple for each element, with its parts in the order of `spaces`.
    """
    rows: Any = zip(*map(ops.iterate, spaces, batches), strict=True)
    if set(map(type, batches)) == {ARRAY}:
        return rows  # type: ignore[no-any-return]
    try:
        return iter(list(rows))
    except ValueError:
        rows = [list(ops.iterate(space, x)) for space, x in zip(spaces, batches, strict=True)]
    blank = [[x] * max(map(len, rows)) for x in batches]
    parts = zip(spaces, blank, rows, strict=True)
    return zip(*[every if ops.layout(space) == () else row for space, every, row in parts], strict=True)


def _are_alike_nests(space_1: Any, space_2: Any) -> bool:
    if not any(isinstance(space_1, nest) and isinstance(space_2, nest) for nest in _nests):
        return False
    ours, theirs = dict(plan_of(space_1).parts), dict(plan_of(space_2).parts)
    return ours.keys() == theirs.keys() and all(
        ops.is_space_dtype_shape_equiv(part.space, theirs[key].space) for key, part in ours.items()
    )
