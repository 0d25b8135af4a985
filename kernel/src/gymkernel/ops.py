"""Operations on spaces: `functools.singledispatch` functions for which each space class registers implementations.

If no function is registered for a class, the operation searches the adapters (entry points of the group
`gymkernel.adapters`, by the qualified names of the classes in the MRO). If there is no adapter either, the result is
derived from the space's `layout()`. Each class is looked up only once. Code that runs in every step stores the result
of `dispatch`:

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
"""All operations, keyed by name."""

version = 0
"""A counter that is incremented when an operation or a space changes, which shows that cached results are outdated."""

_searched: weakref.WeakKeyDictionary[type, int] = weakref.WeakKeyDictionary()


def changed() -> None:
    """Mark all values that were derived from spaces as outdated, because a space has changed."""
    global version  # noqa: PLW0603 - a change to a space affects all spaces that contain the space
    version += 1


def _operation(default: Callable[P, T]) -> Operation[P, T]:
    """Create an operation; `default` handles classes without a registered function, unless an adapter exists."""

    @wraps(default)
    def miss(space: Any, *args: Any, **kwargs: Any) -> Any:
        return (bound.get(space.__class__) or bind(space))(space, *args, **kwargs)

    table: Any = singledispatch(miss)
    plain, bound = table.register, dict[Any, Any]()
    name, first = default.__name__, default.__code__.co_varnames[0]

    def bind(space: Any) -> Any:
        """Find the function for the class of a space, and cache it until the next registration or `refresh`."""
        cls = space.__class__
        function = table.dispatch(cls)
        if function is miss:
            _search_adapters(cls)
            function = table.dispatch(cls)
        if function is miss:
            if cls is type or not callable(getattr(space, "sample", None)):
                raise error.NoSpace(f"{name} expects a space, got {space!r} ({cls.__name__})")
            adapted = plugins.load_all("adapters", [f"gymkernel.ops.{name}"], f"{name} is missing")
            function = adapted[0] if adapted else default
        bound[cls] = function
        plugins.cached.append((bound, cls))
        return function

    @wraps(default)
    def call(*args: Any, **kwargs: Any) -> Any:
        if args:
            return (bound.get(args[0].__class__) or bind(args[0]))(*args, **kwargs)
        return table(*([kwargs.pop(first)] if first in kwargs else []), **kwargs)

    def register(cls: Any, func: Any = None) -> Any:
        """Register `func` for a class. The function is also a decorator: `@flatten.register(MySpace)`."""
        if isinstance(cls, type) and func is None:
            return lambda f: register(cls, f)
        _refuse_twice(table, name, cls, func)
        plain(cls, func)
        bound.clear()
        changed()
        return func

    operation: Any = call
    vars(operation).update(register=register, dispatch=table.dispatch, registry=table.registry, miss=miss)
    OPERATIONS[name] = operation
    return cast("Operation[P, T]", operation)


def _refuse_twice(table: Any, name: str, cls: Any, func: Any) -> None:
    if not isinstance(cls, type):
        raise TypeError(f"Name the class: @{name}.register(MySpace), got {cls!r}")
    known = table.registry.get(cls, func)
    if known is not func:
        first = f"{name} is registered for {cls.__qualname__} already, by {known.__module__}.{known.__qualname__}"
        raise error.RegistrationError(f"{first}; register it for a subclass, or not at all")


def _search_adapters(cls: type) -> None:
    """Load the adapters of a class and its base classes, once per scan. A broken adapter only causes a warning."""
    if _searched.get(cls) == plugins.generation:
        return
    _searched[cls] = plugins.generation
    names = [f"{base.__module__}.{base.__qualname__}" for base in cls.__mro__]
    plugins.load_all("adapters", names, f"its operations are missing for {cls.__qualname__}")


def is_registered(operation: Operation[..., Any], cls: type) -> bool:
    """Return whether a function is registered for a class or for one of its base classes, possibly by an adapter.

    Args:
        operation: an operation, such as `flatten`.
        cls: the class of a space.

    >>> is_registered(flatten, int)
    False
    """
    _search_adapters(cls)
    return operation.dispatch(cls) is not operation.miss


def layout(space: Any) -> tuple[Any, ...] | None:
    """Return the layout of a space, or None if the space has no layout or no method `layout`.

    Args:
        space: a space of any library.

    Returns:
        A `Field` for each array that holds a part of an element, or None if elements have no fixed size.
    """
    method = getattr(space, "layout", None)
    return method() if callable(method) else None


def require_layout(space: Any, operation: str) -> tuple[Any, ...]:
    """Return the layout of a space, or raise an error that names the operation if the space has no layout.

    Args:
        space: a space of any library.
        operation: the name of the operation, for the error message.

    Raises:
        NotImplementedError: the space has no layout.
    """
    fields = layout(space)
    if fields is None:
        raise _undefined(space, operation, ": give the class a layout()")
    return fields


def _undefined(space: Any, op: str, fix: str) -> NotImplementedError:
    """Return the error for an operation that a space lacks; omit the advice to install an installed package."""
    name, installed = type(space).__qualname__, {p.distribution for p in plugins.plugins() if not p.switch}
    if fix.rpartition(" ")[2] in installed:
        fix = f", an unknown class of {type(space).__module__}: convert the space"
    return NotImplementedError(f"{op} is not defined for {name}{fix}, or use @gymkernel.ops.{op}.register({name})")


@_operation
def flatdim(space: Any) -> int:
    """Return the length of a flattened element.

    Args:
        space: a space whose elements have a fixed size.

    Returns:
        The number of values: n for `Discrete(n)`, the number of array elements for `Box`, and the sum over the parts
            for `Tuple` and `Dict`.

    Raises:
        ValueError: elements have no fixed size, as in `Sequence` and `Graph`.
        NotImplementedError: the space has no layout, and no function is registered for its class.
    """
    return int(sum(np.prod(field.shape, dtype=np.int64) for field in require_layout(space, "flatdim")))


@_operation
def flatten(space: Any, x: Any) -> Any:
    """Flatten an element to a vector of length `flatdim(space)`; `unflatten` is the inverse.

    Args:
        space: the space that contains the element.
        x: an element, which is not modified.

    Returns:
        A new array with one axis and the dtype of `flatten_space(space)`. If elements have no fixed size, an element of
        `flatten_space(space)`. In `Discrete(3)`, 1 becomes `[0, 1, 0]`.
    """
    require_layout(space, "flatten")
    raise _undefined(space, "flatten", "; run: pip install gymkernel-util-spaces")


@_operation
def unflatten(space: Any, x: Any) -> Any:
    """Return the element whose flattened form is `x`.

    Args:
        space: the space of the element.
        x: a result of `flatten`: an array of shape (flatdim(space),) if elements have a fixed size.

    Returns:
        A new element that shares no memory with `x`.
    """
    require_layout(space, "unflatten")
    raise _undefined(space, "unflatten", "; run: pip install gymkernel-util-spaces")


@_operation
def flatten_space(space: Any) -> Any:
    """Return the space of the flattened elements.

    Args:
        space: the space of the original elements.

    Returns:
        A `Box` of shape (flatdim(space),) if elements have a fixed size. For `Discrete(3)`, it is `Box(0, 1, (3,),
        int64)`.
    """
    raise _undefined(space, "flatten_space", "; run: pip install gymkernel-space-box")


@_operation
def is_space_dtype_shape_equiv(space_1: Any, space_2: Any) -> bool:
    """Return whether the elements of both spaces fit into the same arrays, regardless of bounds.

    Args:
        space_1: a space of any library.
        space_2: the space to compare with.

    Raises:
        NotImplementedError: the first space has no layout, and no function is registered for its class.
    """
    fields = require_layout(space_1, "is_space_dtype_shape_equiv")
    return type(space_1) is type(space_2) and fields == layout(space_2)


@_operation
def batch_space(space: Any, n: int = 1) -> Any:
    """Return the space of a batch of n elements.

    Args:
        space: the space that each element belongs to.
        n: the number of elements.

    Returns:
        The space of the batch, with a random number generator of its own. For a `Box` of shape (3,), it is a `Box` of
        shape (n, 3).
    """
    raise _undefined(space, "batch_space", "; run: pip install gymkernel-space-tuple")


def _of_several(default: Callable[[Sequence[Any]], T]) -> Operation[[Sequence[Any]], T]:
    """Create an operation on spaces of the same class; implementations receive the first space and the list."""

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
                raise TypeError(f"{default.__name__} expects spaces of the same class, got {seen}")
        return table(spaces[0], list(spaces))

    OPERATIONS[default.__name__] = operation = cast("Operation[[Sequence[Any]], T]", call)
    return operation


@_of_several
def batch_differing_spaces(spaces: Sequence[Any]) -> Any:
    """Return the space of a batch with one element of each space; the spaces may differ in their bounds only.

    The operation dispatches on the class of the first space. A registered function receives the first space and the
    list.

    Args:
        spaces: one space for each environment, all of the same class and, if elements have a dtype and shape, with the
            same dtype and shape.

    Raises:
        ValueError: the list is empty.
        TypeError: the spaces have different classes.
    """
    raise _undefined(spaces[0], "batch_differing_spaces", "; run: pip install gymkernel-space-tuple")


@_operation
def iterate(space: Any, items: Any) -> Iterator[Any]:
    """Iterate over the elements of a batch.

    Args:
        space: the space of the batch, as returned by `batch_space`.
        items: a batch, which is an element of that space.

    Raises:
        gymkernel.error.CustomSpaceError: the space is not the space of a batch.
    """
    message = f"Cannot iterate over a batch of {type(space).__qualname__}: it is not the batch of any space"
    raise error.CustomSpaceError(message)


@_operation
def concatenate(space: Any, items: Iterable[Any], out: Any) -> Any:
    """Combine elements into a batch; if the batch consists of arrays, it is written to `out`.

    Args:
        space: the space that each element belongs to, not the space of the batch.
        items: elements of the space.
        out: the result of `create_empty_array(space, n)` for n elements, to which the elements are written.

    Returns:
        The batch: `out` if the batch consists of arrays, otherwise a new tuple.
    """
    return tuple(items)


@_operation
def create_empty_array(space: Any, n: int | None = 1, fn: Callable[..., Any] = np.zeros) -> Any:
    """Create arrays for n elements with `fn(shape, dtype=...)`, or return None if a batch has no arrays.

    Args:
        space: the space that each element belongs to.
        n: the number of elements, which is the length of the first axis. If it is None, the arrays are for one element
            and do not have this axis.
        fn: a function that creates each array, such as `numpy.zeros` or `numpy.empty`.
    """
    return None


@_operation
def create_zero_array(space: Any) -> Any:
    """Return an element of zeros, or the closest element that the shape and dtype of the space allow.

    Args:
        space: the space that each element belongs to.

    Raises:
        NotImplementedError: the space has no layout, and no function is registered for its class.
    """
    arrays = [np.zeros(field.shape, field.dtype) for field in require_layout(space, "create_zero_array")]
    return space.decode(arrays)


@_operation
def create_shared_memory(space: Any, n: int = 1, ctx: Any = None) -> Any:
    """Create shared memory for n elements, for use by processes that are started from `ctx`.

    The memory is an `Array` of `ctx` if elements are arrays or numbers. For a `Dict` or `Tuple`, it is a dictionary or
    tuple with the memory of each part. If elements are encoded by the space's layout, as in `Text`, it is a `Buffer`.

    Args:
        space: the space that each element belongs to.
        n: the number of elements.
        ctx: a context of `multiprocessing`, such as `get_context("spawn")`; None for the default context.

    Raises:
        gymkernel.error.CustomSpaceError: elements have no fixed size, as in `Sequence` and `Graph`.
    """
    raise _undefined(space, "create_shared_memory", "; run: pip install gymkernel-util-vector")


@_operation
def read_from_shared_memory(space: Any, shared_memory: Any, n: int = 1) -> Any:
    """Return the batch of elements that is stored in shared memory, as arrays that are views of this memory.

    Args:
        space: the space that each element belongs to.
        shared_memory: the result of `create_shared_memory(space, n)`, from this process or passed to it.
        n: the number of elements that the memory was created for.
    """
    raise _undefined(space, "read_from_shared_memory", "; run: pip install gymkernel-util-vector")


@_operation
def write_to_shared_memory(space: Any, index: int, value: Any, shared_memory: Any) -> None:
    """Write an element to position `index` of shared memory.

    Args:
        space: the space that each element belongs to.
        index: the position, from 0 to n - 1.
        value: an element of the space, whose numbers are copied.
        shared_memory: the result of `create_shared_memory(space, n)`.
    """
    raise _undefined(space, "write_to_shared_memory", "; run: pip install gymkernel-util-vector")


def batch(space: Any, elements: list[Any]) -> Any:
    """Combine any number of elements, possibly none, into a batch with new arrays.

    Args:
        space: the space that each element belongs to.
        elements: elements of that space; the list may be empty.

    Returns:
        An element of `batch_space(space, len(elements))`.
    """
    out = create_empty_array(space, len(elements))
    return concatenate(space, elements, out) if elements else _empty_batch(out)


def _empty_batch(out: Any) -> Any:
    """Return an empty batch; a part without arrays becomes an empty tuple."""
    if isinstance(out, dict):
        return {key: _empty_batch(part) for key, part in out.items()}
    if isinstance(out, tuple):
        return tuple(map(_empty_batch, out))
    return () if out is None else out
