"""Functions that register gymkernel's operations with Gymnasium's functions, so that they accept gymkernel's spaces."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from importlib import import_module
from typing import Any

from gymnasium.spaces import utils as single
from gymnasium.vector import utils as batched
from gymnasium.wrappers.utils import create_zero_array

from gymkernel import ops
from gymkernel.space import Space

__all__ = ["register_class"]

SINGLE = ("flatdim", "flatten", "unflatten", "flatten_space", "is_space_dtype_shape_equiv")
BATCHED = ("batch_space", "batch_differing_spaces", "iterate", "concatenate", "create_empty_array")
EXACT = ("batch_differing_spaces", "iterate")
LIBRARIES = ("gymnasium.", "gymkernel")
SHARED = ("create_shared_memory", "read_from_shared_memory", "write_to_shared_memory")


@cache
def _prepare() -> None:
    """Register Gymnasium's operations with gymkernel first, so that gymkernel's own operations take precedence."""
    import_module("gymkernel_bridge_gymnasium.operations")


def _operation(name: str) -> Callable[..., Any]:
    table = ops.OPERATIONS[name]

    @wraps(table)
    def call(*args: Any, **kwargs: Any) -> Any:
        _prepare()
        return table(*args, **kwargs)

    return call


def register_class(cls: type) -> None:
    """Register a space class in those of Gymnasium's tables that contain exact classes and ignore base classes.

    Args:
        cls: a gymkernel space class, or a class derived from one.
    """
    for name in EXACT:
        operation = _operation(name)
        getattr(batched, name).register(cls, _or_third_party(operation) if name == "iterate" else operation)


def _or_third_party(iterate: Callable[..., Any]) -> Callable[..., Any]:
    """Return a version of `iterate` that falls back to a third party's function for Gymnasium's class.

    The fallback is used if `iterate` raises a TypeError. For example, SuperSuit registers a function for `Discrete`.
    """

    @wraps(iterate)
    def call(space: Any, items: Any) -> Any:
        try:
            return iterate(space, items)
        except TypeError:
            registered = (batched.iterate.registry.get(cls) for cls in type(space).__mro__[1:-1])
            functions = (function for function in registered if function is not None)
            third_party = next(
                (function for function in functions if not function.__module__.startswith(LIBRARIES)), None
            )
            if third_party is None:
                raise
            return third_party(space, items)

    return call


def _flat_dtype(space: Any) -> Any:
    """Return the dtype of a space's flattened elements."""
    _prepare()
    return ops.flatten_space(space).dtype


for _name in SINGLE:
    getattr(single, _name).register(Space, _operation(_name))
for _name in (*BATCHED, *SHARED):
    getattr(batched, _name).register(Space, _operation(_name))
create_zero_array.register(Space, _operation("create_zero_array"))
if hasattr(single, "_flat_dtype"):  # Gymnasium 1.4 and later also call this function for the parts of composite spaces
    single._flat_dtype.register(Space, _flat_dtype)  # noqa: SLF001
