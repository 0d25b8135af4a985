"""Operations on spaces: generic functions, as in `functools.singledispatch`, that space classes implement.

If no function is registered for a class, the operation searches for an adapter: an entry point in the group
`gymkernel.adapters` with the qualified name of the class or of a base class. If there is no adapter, the operation uses
the space's `layout()`. The result of this search is cached. Code that runs in every step should store the function that
`dispatch` returns:

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
"""The operations on spaces, keyed by name."""

version = 0
"""A counter that is incremented whenever an operation or a space changes, so that outdated caches can be detected."""

_searched: weakref.WeakKeyDictionary[type, int] = weakref.WeakKeyDictionary()


def changed() -> None:
    """Invalidate all cached values that were derived from spaces, because a space has changed."""
    global version  # noqa: PLW0603 - a changed space may be part of any other space
    version += 1


def _operation(default: Callable[P, T]) -> Operation[P, T]:
    """Create an operation that calls `default` for a class without a registered function or an adapter."""

    @wraps(default)
    def miss(space: Any, *args: Any, **kwargs: Any) -> Any:
        return (bound.get(space.__class__) or bind(space))(space, *args, **kwargs)

    table: Any = singledispatch(miss)
    plain, bound = table.register, dict[Any, Any]()
    name, first = default.__name__, default.__code__.co_varnames[0]

    def bind(space: Any) -> Any:
        """Return the function for the class of a space, and cache it until the next registration or `refresh`."""
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
        """Register a function for a class. Without `func`, return a decorator."""
        if isinstance(cls, type) and func is None:
            return lambda f: register(cls, f)
        refuse_second(table, name, cls, func)
        plain(cls, func)
        bound.clear()
        changed()
        return func

    operation: Any = call
    vars(operation).update(register=register, dispatch=table.dispatch, registry=table.registry, miss=miss)
    OPERATIONS[name] = operation
    return cast("Operation[P, T]", operation)


def refuse_second(table: Any, name: str, cls: Any, func: Any) -> None:
    """Raise an error if another function is registered for a class. `gymkernel run` replaces this check."""
    if not isinstance(cls, type):
        raise TypeError(f"Expected a class, as in @{name}.register(MySpace), got {cls!r}")
    known = table.registry.get(cls, func)
    if _source(known) != _source(func):  # the two are equal if a module is reloaded and registers its functions again
        first = f"{name} is already registered for {cls.__qualname__} by {known.__module__}.{known.__qualname__}"
        raise error.RegistrationError(f"{first}; register your function for a subclass instead")


def _source(func: Any) -> tuple[Any, ...]:
    """Return a function's module, name and code, each replaced by the callable itself if the callable lacks it."""
    return tuple(getattr(func, name, func) for name in ("__module__", "__qualname__", "__code__"))


def _search_adapters(cls: type) -> None:
    """Load the adapters of a class and its base classes. If an adapter is broken, issue a warning."""
    if _searched.get(cls) == plugins.generation:
        return
    _searched[cls] = plugins.generation
    plugins.load_all("adapters", adapter_names(cls), f"its operations are missing for {cls.__qualname__}")


def adapter_names(cls: type) -> list[str]:
    """Return the names of a class and its base classes in entry points. `gymkernel run` replaces this function."""
    return [f"{base.__module__}.{base.__qualname__}" for base in cls.__mro__]


def is_registered(operation: Operation[..., Any], cls: type) -> bool:
    """Return whether a class or one of its base classes has a function or an adapter for an operation.

    Args:
        operation: an operation, such as `flatten`.
        cls: the class of a space.

    >>> is_registered(flatten, int)
    False
    """
    _search_adapters(cls)
    return operation.dispatch(cls) is not operation.miss


def layout(space: Any) -> tuple[Any, ...] | None:
    """Return the layout of a space, or None if the space has no layout.

    Args:
        space: a space from any library, which need not have a method `layout`.

    Returns:
        A `Field` for each array that is needed to store an element, or None if elements have no fixed size.
    """
    method = getattr(space, "layout", None)
    return method() if callable(method) else None


def require_layout(space: Any, operation: str) -> tuple[Any, ...]:
    """Return the layout of a space, or raise an error if the space has no layout.

    Args:
        space: a space from any library.
        operation: the name of the operation that needs the layout, for the error message.

    Raises:
        NotImplementedError: if the space has no layout.
    """
    fields = layout(space)
    if fields is None:
        raise _undefined(space, operation, ": define layout() in the class")
    return fields


def _undefined(space: Any, op: str, fix: str) -> NotImplementedError:
    """Create the error for an operation that does not support a space. `fix` is a remedy, such as a pip command."""
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
        The number of values in the vector: n for `Discrete(n)`, the size of the array for a `Box`, and the sum of the
        lengths of the parts for a `Tuple` or a `Dict`.

    Raises:
        ValueError: if elements have no fixed size, as in `Sequence` and `Graph`.
        NotImplementedError: if the space has no layout and no function is registered for its class.
    """
    return int(sum(np.prod(field.shape, dtype=np.int64) for field in require_layout(space, "flatdim")))


@_operation
def flatten(space: Any, x: Any) -> Any:
    """Flatten an element to a vector of length `flatdim(space)`. `unflatten` is the inverse operation.

    Args:
        space: the space that contains the element.
        x: an element, which is not modified.

    Returns:
        A new one-dimensional array with the dtype of `flatten_space(space)`. For example, the element 1 of
        `Discrete(3)` becomes `[0, 1, 0]`. If elements have no fixed size, the result is an element of
        `flatten_space(space)`.
    """
    require_layout(space, "flatten")
    raise _undefined(space, "flatten", "; run: pip install gymkernel-util-spaces")


@_operation
def unflatten(space: Any, x: Any) -> Any:
    """Convert a flattened element back to an element of the space.

    Args:
        space: the space of the element.
        x: the result of `flatten`, which is an array of shape (flatdim(space),) if elements have a fixed size.

    Returns:
        A new element that shares no memory with `x`.
    """
    require_layout(space, "unflatten")
    raise _undefined(space, "unflatten", "; run: pip install gymkernel-util-spaces")


@_operation
def flatten_space(space: Any) -> Any:
    """Return the space that contains the flattened elements of a space.

    Args:
        space: the space of the original elements.

    Returns:
        A `Box` of shape (flatdim(space),) if elements have a fixed size. For example, the result for `Discrete(3)` is
        `Box(0, 1, (3,), int64)`.
    """
    raise _undefined(space, "flatten_space", "; run: pip install gymkernel-space-box")


@_operation
def is_space_dtype_shape_equiv(space_1: Any, space_2: Any) -> bool:
    """Return whether the elements of both spaces fit into the same arrays, regardless of bounds.

    Args:
        space_1: a space from any library.
        space_2: the space to compare with.

    Raises:
        NotImplementedError: if the first space has no layout and no function is registered for its class.
    """
    fields = require_layout(space_1, "is_space_dtype_shape_equiv")
    return type(space_1) is type(space_2) and fields == layout(space_2)


@_operation
def batch_space(space: Any, n: int = 1) -> Any:
    """Return the space of batches of n elements.

    Args:
        space: the space of a single element.
        n: the number of elements in a batch.

    Returns:
        The space of the batches, which has its own random number generator. For example, the result for a `Box` of
        shape (3,) is a `Box` of shape (n, 3).
    """
    raise _undefined(space, "batch_space", "; run: pip install gymkernel-space-tuple")


def _on_lists(table: Operation[[Any, Sequence[Any]], T]) -> Operation[[Sequence[Any]], T]:
    """Create an operation on a list of spaces of the same class. Registered functions also receive the first space."""

    @wraps(table)
    def call(spaces: Sequence[Any]) -> T:
        if not spaces:
            raise ValueError(f"{table.__name__} expects at least one space, got an empty list")
        for i, space in enumerate(spaces):
            if type(space) is not type(spaces[0]):
                seen = f"{type(spaces[0]).__qualname__} at index 0 and {type(space).__qualname__} at index {i}"
                raise TypeError(f"{table.__name__} expects spaces of the same class, got {seen}")
        return table(spaces[0], list(spaces))

    del vars(call)["__wrapped__"]  # `inspect` would show the parameter for the first space
    OPERATIONS[table.__name__] = operation = cast("Operation[[Sequence[Any]], T]", call)
    return operation


@_on_lists
@_operation
def batch_differing_spaces(space: Any, spaces: Sequence[Any]) -> Any:  # noqa: D417 - programs pass only the list
    """Return the space of batches that contain one element of each of the given spaces.

    The class of the first space determines which registered function is called. The function receives the first space
    and the list of all spaces.

    Args:
        spaces: one space for each environment. The spaces must have the same class, dtype and shape, and differ only in
            their bounds.

    Raises:
        ValueError: if the list is empty.
        TypeError: if the spaces have different classes.
    """
    raise _undefined(space, "batch_differing_spaces", "; run: pip install gymkernel-space-tuple")


@_operation
def iterate(space: Any, items: Any) -> Iterator[Any]:
    """Iterate over the elements of a batch.

    Args:
        space: the space of the batch, as returned by `batch_space`.
        items: the batch.

    Raises:
        gymkernel.error.CustomSpaceError: if the space does not contain batches.
    """
    message = f"Cannot iterate over an element of {type(space).__qualname__}, because its elements are not batches"
    raise error.CustomSpaceError(message)


@_operation
def concatenate(space: Any, items: Iterable[Any], out: Any) -> Any:
    """Combine elements into a batch.

    Args:
        space: the space of a single element, not of the batch.
        items: the elements.
        out: the result of `create_empty_array(space, n)` for n elements. If the batch consists of arrays, the elements
            are written to these arrays.

    Returns:
        The batch, which is `out` if the batch consists of arrays, and otherwise a new tuple.
    """
    return tuple(items)


@_operation
def create_empty_array(space: Any, n: int | None = 1, fn: Callable[..., Any] = np.zeros) -> Any:
    """Create arrays for a batch of n elements, or return None if batches of the space are not stored in arrays.

    Args:
        space: the space of a single element.
        n: the number of elements, which is the length of the first axis. If n is None, the arrays are for a single
            element and do not have this axis.
        fn: the function that creates an array, called as `fn(shape, dtype=...)`, such as `numpy.zeros` or
            `numpy.empty`.
    """
    return None


@_operation
def create_zero_array(space: Any) -> Any:
    """Return an element that consists of zeros, or as close to zeros as the shape and dtype of the space allow.

    Args:
        space: the space of the element.

    Raises:
        NotImplementedError: if the space has no layout and no function is registered for its class.
    """
    arrays = [np.zeros(field.shape, field.dtype) for field in require_layout(space, "create_zero_array")]
    return space.decode(arrays)


@_operation
def create_shared_memory(space: Any, n: int = 1, ctx: Any = None) -> Any:
    """Create shared memory for a batch of n elements.

    If elements are arrays or numbers, the memory is an array created by `ctx.Array`. For a `Dict` or a `Tuple`, it is
    a dictionary or a tuple that contains the memory of each part. If the space encodes its elements, as `Text` does,
    the memory is a `Buffer`.

    Args:
        space: the space of a single element.
        n: the number of elements.
        ctx: the `multiprocessing` context from which the processes are started, such as `get_context("spawn")`. None
            means the default context.

    Raises:
        gymkernel.error.CustomSpaceError: if elements have no fixed size, as in `Sequence` and `Graph`.
    """
    raise _undefined(space, "create_shared_memory", "; run: pip install gymkernel-util-vector")


@_operation
def read_from_shared_memory(space: Any, shared_memory: Any, n: int = 1) -> Any:
    """Return a batch of elements in shared memory. Its arrays are views of the memory.

    Args:
        space: the space of a single element.
        shared_memory: the result of `create_shared_memory(space, n)` in this or another process.
        n: the number of elements for which the memory was created.
    """
    raise _undefined(space, "read_from_shared_memory", "; run: pip install gymkernel-util-vector")


@_operation
def write_to_shared_memory(space: Any, index: int, value: Any, shared_memory: Any) -> None:
    """Write an element to a position in shared memory.

    Args:
        space: the space of a single element.
        index: the position of the element, from 0 to n - 1.
        value: the element, which is copied.
        shared_memory: the result of `create_shared_memory(space, n)`.
    """
    raise _undefined(space, "write_to_shared_memory", "; run: pip install gymkernel-util-vector")


def batch(space: Any, elements: list[Any]) -> Any:
    """Combine elements into a batch with new arrays. Unlike `concatenate`, this function accepts an empty list.

    Args:
        space: the space of a single element.
        elements: a list of elements, which may be empty.

    Returns:
        An element of `batch_space(space, len(elements))`.
    """
    out = create_empty_array(space, len(elements))
    return concatenate(space, elements, out) if elements else _empty_batch(out)


def _empty_batch(out: Any) -> Any:
    """Return an empty batch. Parts that are not stored in arrays are represented by empty tuples."""
    if isinstance(out, dict):
        return {key: _empty_batch(part) for key, part in out.items()}
    if isinstance(out, tuple):
        return tuple(map(_empty_batch, out))
    return () if out is None else out
