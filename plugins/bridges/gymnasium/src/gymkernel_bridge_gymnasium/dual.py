"""The function `as_dual`, which turns a third-party Gymnasium space into an instance of gymkernel's class as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from typing import TYPE_CHECKING, Any

import gymnasium

if TYPE_CHECKING:
    from gymkernel.space import Space

__all__ = ["as_dual"]


def as_dual(space: Any, ours: type[Space[Any]], convert: Callable[[Any], Any]) -> Any:
    """Return a copy of a space that is also an instance of gymkernel's class but keeps its own class's methods.

    Args:
        space: a space whose class derives from a Gymnasium class.
        ours: gymkernel's class of the same kind; `Space` if the class derives directly from Gymnasium's `Space`.
        convert: the function that converts inner spaces.
    """
    dual = _empty(type(space), ours)
    state = {name: _convert_spaces(value, convert) for name, value in vars(space).items()}
    state["_np_random"] = deepcopy(state.get("_np_random"))
    dual.__setstate__(state)
    return dual


def _convert_spaces(value: Any, convert: Callable[[Any], Any]) -> Any:
    """Replace any Gymnasium spaces in an attribute's value with gymkernel's spaces."""
    if isinstance(value, gymnasium.Space):
        return convert(value)
    if type(value) in (list, tuple) and any(isinstance(part, gymnasium.Space) for part in value):
        return type(value)(_convert_spaces(part, convert) for part in value)
    if isinstance(value, Mapping) and any(isinstance(part, gymnasium.Space) for part in value.values()):
        return {key: _convert_spaces(part, convert) for key, part in value.items()}
    return value


@cache
def _class_of(theirs: type, ours: type) -> type:
    """Create a class that derives from both classes.

    Instances are pickled with references to the two classes, because the new class cannot be imported from a module.
    """

    def reduce(self: Any, _protocol: Any = None) -> Any:
        own = getattr(ours, "__getstate__", None)
        return _empty, (theirs, ours), own(self) if own is not None else vars(self)

    body = {"__reduce_ex__": reduce, "__reduce__": reduce, "__module__": theirs.__module__}
    return type(theirs)(theirs.__name__, (theirs, ours), {**body, "__qualname__": theirs.__qualname__})


def _empty(theirs: type, ours: type) -> Any:
    """Create an instance of the combined class that has no attributes yet."""
    return object.__new__(_class_of(theirs, ours))
