"""The operations on spaces: open `functools.singledispatch` tables, to which every space registers beside its class.

What no table knows is looked for among the adapters (`gymkernel.adapters` entry points, by the qualified names of the
classes in the MRO), then derived from the space's `layout()`; a class is searched for once. What runs per step binds
what `dispatch` returns:

    flatten = ops.flatten.dispatch(type(space))
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import singledispatch, wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar, cast

import numpy as np

from gymkernel import error, plugins

if TYPE_CHECKING:
    from gymkernel.protocols import Operation

__all__ = ["OPERATIONS", "T", "batch", "batch_differing_spaces", "batch_space", "changed", "concatenate"]
__all__ += ["create_empty_array", "create_shared_memory", "create_zero_array", "flatdim", "flatten", "flatten_space"]
__all__ += ["is_registered", "is_space_dtype_shape_equiv", "iterate", "layout", "require_layout"]
__all__ += ["read_from_shared_memory", "unflatten", "version", "write_to_shared_memory"]

P = ParamSpec("P")
T = TypeVar("T")

OPERATIONS: Final[dict[str, Operation[..., Any]]] = {}
"""Every table by its name."""

version = 0
"""Grows by one when a table or a space changes: what was worked out from them before is stale."""

_searched: weakref.WeakKeyDictionary[type, int] = weakref.WeakKeyDictionary()


def changed() -> None:
    """Tell that a space has changed since it was made, so that what was worked out from it is worked out again."""
    global version  # noqa: PLW0603 - a change of one space concerns all that contain it
    version += 1


def _operation(default: Callable[P, T]) -> Operation[P, T]:
    """Make a table; `default` serves a class that nothing is registered for, unless the table has an adapter."""

    @wraps(default)
    def miss(space: Any, *args: Any, **kwargs: Any) -> Any:
        return (bound.get(space.__class__) or bind(space))(space, *args, **kwargs)

    table: Any = singledispatch(miss)
    plain, bound = table.register, dict[Any, Any]()
    name, first = default.__name__, default.__code__.co_varnames[0]

    def bind(space: Any) -> Any:
        """Find what serves the class of a space, and keep it until a registration or a `refresh`."""
        cls = space.__class__
        found = table.dispatch(cls)
        if found is miss:
            _search_adapters(cls)
            found = table.dispatch(cls)
        if found is miss:
            if cls is type or not callable(getattr(space, "sample", None)):
                raise error.NoSpace(f"{name} expects a space, got {space!r} ({cls.__name__})")
            adapted = plugins.load_all("adapters", [f"gymkernel.ops.{name}"], f"{name} is missing")
            found = adapted[0] if adapted else default
        bound[cls] = found
        plugins.cached.append((bound, cls))
        return found

    @wraps(default)
    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            return (bound.get(args[0].__class__) or bind(args[0]))(*args, **kwargs)
        return table(*([kwargs.pop(first)] if first in kwargs else []), **kwargs)

    def register(cls: Any, func: Any = None) -> Any:
        """Register `func` for a class; as a decorator: `@flatten.register(MySpace)`."""
        if isinstance(cls, type) and func is None:
            return lambda f: register(cls, f)
        _refuse_twice(table, name, cls, func)
        plain(cls, func)
        bound.clear()
        changed()
        return func

    made: Any = call
    made.register, made.dispatch, made.registry, made.miss = register, table.dispatch, table.registry, miss
    OPERATIONS[name] = made
    return cast("Operation[P, T]", made)


def _refuse_twice(table: Any, name: str, cls: Any, func: Any) -> None:
    if not isinstance(cls, type):
        raise TypeError(f"Name the class: @{name}.register(MySpace), got {cls!r}")
    known = table.registry.get(cls, func)
    if known is not func:
        first = f"{name} is registered for {cls.__qualname__} already, by {known.__module__}.{known.__qualname__}"
        raise error.RegistrationError(f"{first}; register it for a subclass, or not at all")


def _search_adapters(cls: type) -> None:
    """Load the adapters of a class and its bases, once a scan; a broken adapter is reported and stops no other."""
    if _searched.get(cls) == plugins.generation:
        return
    _searched[cls] = plugins.generation
    names = [f"{base.__module__}.{base.__qualname__}" for base in cls.__mro__]
    plugins.load_all("adapters", names, f"the operations that it brings are missing for {cls.__qualname__}")


def is_registered(operation: Operation[..., Any], cls: type) -> bool:
    """Whether a table has an entry for a class or one of its bases, adapters included.

    Args:
        operation: a table, such as `flatten`.
        cls: the class of a space.

    >>> is_registered(flatten, int)
    False
    """
    _search_adapters(cls)
    return operation.dispatch(cls) is not operation.miss


def layout(space: Any) -> tuple[Any, ...] | None:
    """The layout of any space; None also for a space of another library, which has no such method.

    Args:
        space: a space of any library.

    Returns:
        A `Field` for each array that holds a part of an element; None where elements have no fixed size.
    """
    method = getattr(space, "layout", None)
    return method() if callable(method) else None


def require_layout(space: Any, operation: str) -> tuple[Any, ...]:
    """The layout of a space; where there is none, a NotImplementedError that says what the operation needs.

    Args:
        space: a space of any library.
        operation: the name that the error's message begins with.

    Raises:
        NotImplementedError: the space has no layout.
    """
    found = layout(space)
    if found is None:
        raise _undefined(space, operation, ": give the class a layout()")
    return found


def _undefined(space: Any, op: str, fix: str) -> NotImplementedError:
    """Return the error for a class without the operation; it names a package as the fix unless that is installed."""
    name, got = type(space).__qualname__, {one.distribution for one in plugins.plugins() if not one.switch}
    fix = f", an unknown class of {type(space).__module__}: convert the space" if fix.rpartition(" ")[2] in got else fix
    return NotImplementedError(f"{op} is not defined for {name}{fix}, or use @gymkernel.ops.{op}.register({name})")


@_operation
def flatdim(space: Any) -> int:
    """The length of a flattened element.

    Args:
        space: a space whose elements have a fixed size.

    Returns:
        How many numbers: n for `Discrete(n)`, one for each value, and the sum of the parts for `Tuple` and `Dict`.

    Raises:
        ValueError: elements have no fixed size, as those of `Sequence` and `Graph`.
        NotImplementedError: the space has no layout, and no entry in the table.
    """
    return int(sum(np.prod(field.shape, dtype=np.int64) for field in require_layout(space, "flatdim")))


@_operation
def flatten(space: Any, x: Any) -> Any:
    """An element as one vector of length `flatdim(space)`; the inverse of `unflatten`.

    Args:
        space: the space that holds the element.
        x: an element, which is left as it is.

    Returns:
        A new array of one axis, of the dtype of `flatten_space(space)`; of spaces without a fixed size, an element of
        that space. For `Discrete(3)`, 1 becomes `[0, 1, 0]`.
    """
    require_layout(space, "flatten")
    raise _undefined(space, "flatten", "; run: pip install gymkernel-util-spaces")


@_operation
def unflatten(space: Any, x: Any) -> Any:
    """The element whose vector is `x`.

    Args:
        space: the space of the element.
        x: what `flatten` gave: an array of shape (flatdim(space),) where elements have a fixed size.

    Returns:
        A new element, in memory of its own.
    """
    require_layout(space, "unflatten")
    raise _undefined(space, "unflatten", "; run: pip install gymkernel-util-spaces")


@_operation
def flatten_space(space: Any) -> Any:
    """The space of the flattened elements.

    Args:
        space: the space of the elements before.

    Returns:
        A `Box` of shape (flatdim(space),) where elements have a fixed size; for `Discrete(3)`, a
        `Box(0, 1, (3,), int64)`.
    """
    raise _undefined(space, "flatten_space", "; run: pip install gymkernel-space-box")


@_operation
def is_space_dtype_shape_equiv(space_1: Any, space_2: Any) -> bool:
    """Whether elements of both spaces fit the same arrays, whatever their bounds.

    Args:
        space_1: a space of any library.
        space_2: the space to compare it with.

    Raises:
        NotImplementedError: the space has no layout, and no entry in the table.
    """
    fields = require_layout(space_1, "is_space_dtype_shape_equiv")
    return type(space_1) is type(space_2) and fields == layout(space_2)


@_operation
def batch_space(space: Any, n: int = 1) -> Any:
    """The space of n elements taken together.

    Args:
        space: the space of one element.
        n: how many elements.

    Returns:
        The space of a batch: of a `Box` of shape (3,) one of shape (n, 3). It has a random generator of its own.
    """
    raise _undefined(space, "batch_space", "; run: pip install gymkernel-space-tuple")


def _of_several(default: Callable[[Sequence[Any]], T]) -> Operation[[Sequence[Any]], T]:
    """Make a table for a list of spaces of one class: a registered function gets the first of them, and the list."""

    @_operation
    @wraps(default)
    def table(space: Any, spaces: Sequence[Any]) -> T:
        return default(spaces)

    @wraps(table)
    def call(spaces: Sequence[Any]) -> T:
        if not spaces:
            raise ValueError(f"{default.__name__} expects at least one space, got an empty list")
        for i, space in enumerate(spaces):
            if type(space) is not type(spaces[0]):
                seen = f"{type(spaces[0]).__qualname__} at index 0 and {type(space).__qualname__} at index {i}"
                raise TypeError(f"{default.__name__} expects spaces of one class, got {seen}")
        return table(spaces[0], list(spaces))

    OPERATIONS[default.__name__] = made = cast("Operation[[Sequence[Any]], T]", call)
    return made


@_of_several
def batch_differing_spaces(spaces: Sequence[Any]) -> Any:
    """The space of one element of each space; they differ at most in their bounds.

    It dispatches on the class of the first; a registered function gets that first space and the list.

    Args:
        spaces: one space for each environment, all of one class, with elements of one dtype and shape where they have
            those.

    Raises:
        ValueError: there is no space.
        TypeError: the classes differ.
    """
    raise _undefined(spaces[0], "batch_differing_spaces", "; run: pip install gymkernel-space-tuple")


@_operation
def iterate(space: Any, items: Any) -> Iterator[Any]:
    """The elements of a batch, one by one; `space` is the batched space.

    Args:
        space: the space of the batch, as `batch_space` gives it.
        items: one batch, an element of that space.

    Raises:
        gymkernel.error.CustomSpaceError: the space is not that of a batch.
    """
    message = f"Cannot iterate over a batch of {type(space).__qualname__}: it is not the batch of any space"
    raise error.CustomSpaceError(message)


@_operation
def concatenate(space: Any, items: Iterable[Any], out: Any) -> Any:
    """A batch of elements: written into the arrays of `out` where the batch has arrays, else new; `space` is single.

    Args:
        space: the space of one element, not of the batch.
        items: elements of the space.
        out: what `create_empty_array(space, n)` made, for as many places as there are elements; it is written to.

    Returns:
        The batch: `out` where the space's batch consists of arrays, else a new tuple.
    """
    return tuple(items)


@_operation
def create_empty_array(space: Any, n: int | None = 1, fn: Callable[..., Any] = np.zeros) -> Any:
    """A batch of n places (None: one place alone), its arrays made by `fn(shape, dtype=...)`; None without arrays.

    Args:
        space: the space of one element.
        n: the number of places, which is the first axis of each array; None for arrays of one element, without that
            axis.
        fn: makes each array, as `numpy.zeros` or `numpy.empty` do.
    """
    return None


@_operation
def create_zero_array(space: Any) -> Any:
    """An element of zeros, or as near to it as the space's shape and dtype allow.

    Args:
        space: the space of one element.

    Raises:
        NotImplementedError: the space has no layout, and no entry in the table.
    """
    arrays = [np.zeros(field.shape, field.dtype) for field in require_layout(space, "create_zero_array")]
    return space.decode(arrays)


@_operation
def create_shared_memory(space: Any, n: int = 1, ctx: Any = None) -> Any:
    """Places for n elements that processes started from `ctx` (by default `multiprocessing`) share.

    Of elements that are arrays or numbers an `Array` of `ctx`; of a `Dict` or `Tuple` a dictionary or tuple with the
    memory of each part; of what is encoded by its layout, as `Text` is, a `Buffer`.

    Args:
        space: the space of one element.
        n: the number of places.
        ctx: a context of `multiprocessing`, such as `get_context("spawn")`; None for the default one.

    Raises:
        gymkernel.error.CustomSpaceError: elements have no fixed size, as those of `Sequence` and `Graph`.
    """
    raise _undefined(space, "create_shared_memory", "; run: pip install gymkernel-util-vector")


@_operation
def read_from_shared_memory(space: Any, shared_memory: Any, n: int = 1) -> Any:
    """The batch of elements in shared memory; its arrays are views of it.

    Args:
        space: the space of one element.
        shared_memory: what `create_shared_memory(space, n)` made, in this process or handed to it.
        n: the number of places that it was made with.
    """
    raise _undefined(space, "read_from_shared_memory", "; run: pip install gymkernel-util-vector")


@_operation
def write_to_shared_memory(space: Any, index: int, value: Any, shared_memory: Any) -> None:
    """Put an element into place `index` of shared memory.

    Args:
        space: the space of one element.
        index: the place, from 0 on.
        value: an element of the space; its numbers are copied.
        shared_memory: what `create_shared_memory(space, n)` made, with n above `index`.
    """
    raise _undefined(space, "write_to_shared_memory", "; run: pip install gymkernel-util-vector")


def batch(space: Any, elements: list[Any]) -> Any:
    """Elements as one batch in arrays of its own; there may be none.

    Args:
        space: the space of one element.
        elements: elements of that space; may be empty.

    Returns:
        An element of `batch_space(space, len(elements))`.
    """
    out = create_empty_array(space, len(elements))
    return concatenate(space, elements, out) if elements else _nothing(out)


def _nothing(out: Any) -> Any:
    """An empty batch; of what has no arrays, an empty tuple."""
    if isinstance(out, dict):
        return {key: _nothing(part) for key, part in out.items()}
    if isinstance(out, tuple):
        return tuple(map(_nothing, out))
    return () if out is None else out
