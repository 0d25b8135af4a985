"""Functions that register operations for space classes whose `layout()` does not describe their elements sufficiently.

`register_codec` registers how elements are flattened to vectors. `register_arrays` is for classes whose batches are
single arrays. `register_nest` is for classes whose elements are dicts or tuples of other elements. `plan_of` returns
the plan of a space, which all these operations use.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from gymkernel import ops
from gymkernel.space import compare_foreign
from gymkernel_util_spaces.array_facts import array_attribute, current_facts
from gymkernel_util_spaces.batches import BatchPlan, Leaf, Path, nested, part_of, require_alike
from gymkernel_util_spaces.codec import KeptBatches
from gymkernel_util_spaces.plans import ARRAY, ArrayPlan, plan_of, register
from gymkernel_util_spaces.vectors import Codec, StaleCodec, of_array, of_parts, refuse_stale

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ArrayPlan", "BatchPlan", "Codec", "KeptBatches", "Leaf", "Path", "array_attribute", "current_facts"]
__all__ += [
    "StaleCodec",
    "compare_foreign",
    "iterate_parts",
    "nested",
    "part_of",
    "plan_of",
    "refuse_stale",
    "register",
    "register_arrays",
    "register_codec",
    "register_nest",
    "require_alike",
    "rows",
]

_nests: set[type] = set()


def register_codec(cls: type) -> Callable[[Callable[[Any], Codec | None]], Callable[[Any], Codec | None]]:
    """Register a function that creates the codec for a space class, and the operations that use the codec.

    Operations that are already registered for the class are kept. This also applies to the functions below.
    """
    _register_missing(cls, flatdim=_flatdim, flatten=_flatten, unflatten=_unflatten)
    return register(cls)


def _register_missing(cls: type, **functions: Any) -> None:
    for name, function in functions.items():
        if cls not in ops.OPERATIONS[name].registry:
            ops.OPERATIONS[name].register(cls, function)


def _flatdim(space: Any) -> int:
    plan_of(space).notice_changes()
    return (plan_of(space).codec or _no_codec(space)).size


def _flatten(space: Any, x: Any) -> Any:
    try:
        return (plan_of(space).codec or _no_codec(space)).flatten(x)
    except StaleCodec:
        return _flatten(space, x)


def _unflatten(space: Any, x: Any) -> Any:
    try:
        return (plan_of(space).codec or _no_codec(space)).read(x)
    except StaleCodec:
        return _unflatten(space, x)


def _no_codec(space: Any) -> NoReturn:
    message = f"{space} cannot flatten its elements to vectors: the elements of an inner space vary in size"
    raise ValueError(message)


def register_arrays(cls: type, *, one_hot: bool = False) -> None:
    """Register the operations for a space class whose elements are arrays with the shape and dtype of the space.

    A batch of elements is one array, whose first axis is the batch axis.

    Args:
        cls: the space class.
        one_hot: whether elements are flattened to one-hot vectors instead of their own values.
    """
    _register_missing(cls, create_empty_array=_empty_array, concatenate=_stack, iterate=rows)
    _register_missing(cls, is_space_dtype_shape_equiv=_are_alike)
    if not one_hot:
        _register_missing(cls, flatdim=_numbers, flatten=_flatten_array, unflatten=_unflatten_array)
        register(cls)(_array_codec)


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
    # Every row is checked, because the total length may be correct by chance.
    if list(map(len, rows)).count(length) != len(rows):
        shapes = sorted({np.shape(row) for row in rows})
        raise ValueError(f"Expected arrays of shape {space.shape} for {space}, got shapes {shapes}")
    np.concatenate(rows, axis=0, out=out.reshape(len(out) * length, *space.shape[1:]))
    return out


def rows(space: Any, items: Iterable[Any]) -> Iterator[Any]:
    """Iterate over a batch along its first axis. This is the operation `iterate` for spaces whose elements are arrays.

    Args:
        space: the space of the batch, for the error message.
        items: the batch.

    Raises:
        TypeError: if the batch has no first axis.
    """
    try:
        return iter(items)
    except TypeError:
        message = f"Cannot iterate over {items!r}: a batch of {space} needs a first axis for its elements"
        raise TypeError(message) from None


def _are_alike(space_1: Any, space_2: Any) -> bool:
    return type(space_1) is type(space_2) and space_1.shape == space_2.shape and space_1.dtype == space_2.dtype


def register_nest(cls: type) -> None:
    """Register the operations for a space class whose elements are dicts or tuples of elements of the inner spaces."""
    _nests.add(cls)
    register(cls)(_nest_codec)
    _register_missing(cls, flatdim=_flatdim, flatten=_flatten_nest, unflatten=_unflatten_nest)
    _register_missing(cls, concatenate=_concatenate_nest, create_empty_array=_empty_nest)
    _register_missing(cls, is_space_dtype_shape_equiv=_are_alike_nests, iterate=_iterate_nest)
    _register_missing(cls, read_from_shared_memory=_read_nest, write_to_shared_memory=_write_nest)
    for name in ("create_zero_array", "create_shared_memory"):
        _register_missing(cls, **{name: _for_each_part(ops.OPERATIONS[name])})


def _nest_codec(space: Any) -> Codec | None:
    plan = plan_of(space)
    return of_parts([(key, part.codec) for key, part in plan.parts], named=plan.named)


def _flatten_nest(space: Any, x: Any) -> Any:
    plan = plan_of(space)
    if plan.codec is not None:
        try:
            return plan.codec.flatten(x)
        except StaleCodec:
            return _flatten_nest(space, x)
    plan.expect_whole(x)
    return plan.nested([ops.flatten(part.space, x[key]) for key, part in plan.parts])


def _unflatten_nest(space: Any, x: Any) -> Any:
    plan = plan_of(space)
    if plan.codec is not None:
        try:
            return plan.codec.read(x)
        except StaleCodec:
            return _unflatten_nest(space, x)
    kind = dict if plan.named else tuple
    if not isinstance(x, kind):
        raise TypeError(f"Cannot unflatten {type(x).__name__} to {space}: expected a {kind.__name__}")
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


def _for_each_part(operation: Any) -> Callable[..., Any]:
    def apply(space: Any, *args: Any, **kwargs: Any) -> Any:
        plan = plan_of(space)
        return plan.nested([function(part, *args, **kwargs) for _, function, part in plan.bound(operation)])

    return apply


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
    """Iterate over the batches of all parts in parallel. If a Tuple is not a batch space, iterate over its items."""
    plan = plan_of(space)
    if not plan.named and not plan.is_batch:
        return iter(items)
    rows = iterate_parts([part.space for _, part in plan.parts], [items[key] for key, _ in plan.parts])
    return map(dict, map(zip, repeat([key for key, _ in plan.parts]), rows)) if plan.named else rows


def iterate_parts(spaces: Collection[Any], batches: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Iterate over several batches in parallel. The batch of an empty space, such as `Tuple(())`, is repeated.

    Args:
        spaces: the batch spaces of the parts.
        batches: one batch for each part, all with the same number of elements.

    Returns:
        An iterator that yields, for each element, a tuple with the element's parts in the order of `spaces`.
    """
    rows: Any = zip(*map(ops.iterate, spaces, batches), strict=True)
    if set(map(type, batches)) == {ARRAY}:
        return rows  # type: ignore[no-any-return]
    try:
        return iter(list(rows))
    except ValueError:
        rows = [list(ops.iterate(space, x)) for space, x in zip(spaces, batches, strict=True)]
    repeats = [[x] * max(map(len, rows)) for x in batches]
    parts = zip(spaces, repeats, rows, strict=True)
    return zip(*[repeated if ops.layout(space) == () else row for space, repeated, row in parts], strict=True)


def _are_alike_nests(space_1: Any, space_2: Any) -> bool:
    if not any(isinstance(space_1, nest) and isinstance(space_2, nest) for nest in _nests):
        return False
    parts, other_parts = dict(plan_of(space_1).parts), dict(plan_of(space_2).parts)
    return parts.keys() == other_parts.keys() and all(
        ops.is_space_dtype_shape_equiv(part.space, other_parts[key].space) for key, part in parts.items()
    )
