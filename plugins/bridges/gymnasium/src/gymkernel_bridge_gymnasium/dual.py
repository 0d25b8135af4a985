"""A space of a third party's class, derived from Gymnasium's, as one that derives from gymkernel's, too."""

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
    """Return a space with the class's own methods and the attributes of `space`, which is an instance of `ours`, too.

    Args:
        space: a space whose class derives from a class of Gymnasium's.
        ours: gymkernel's class of the same kind; `Space` where the class derives from Gymnasium's `Space` alone.
        convert: makes gymkernel's space of one inside.
    """
    made = _empty(type(space), ours)
    state = {name: _converted(value, convert) for name, value in vars(space).items()}
    state["_np_random"] = deepcopy(state.get("_np_random"))
    made.__setstate__(state)
    return made


def _converted(value: Any, convert: Callable[[Any], Any]) -> Any:
    """Return an attribute with gymkernel's spaces in the place of Gymnasium's."""
    if isinstance(value, gymnasium.Space):
        return convert(value)
    if type(value) in (list, tuple) and any(isinstance(part, gymnasium.Space) for part in value):
        return type(value)(_converted(part, convert) for part in value)
    if isinstance(value, Mapping) and any(isinstance(part, gymnasium.Space) for part in value.values()):
        return {key: _converted(part, convert) for key, part in value.items()}
    return value


@cache
def _class_of(theirs: type, ours: type) -> type:
    """Return the class that derives from both; its objects are pickled by the two, since no module has the class."""

    def reduce(self: Any, _protocol: Any = None) -> Any:
        own = getattr(ours, "__getstate__", None)
        return _empty, (theirs, ours), own(self) if own is not None else vars(self)

    body = {"__reduce_ex__": reduce, "__reduce__": reduce, "__module__": theirs.__module__}
    return type(theirs)(theirs.__name__, (theirs, ours), {**body, "__qualname__": theirs.__qualname__})


def _empty(theirs: type, ours: type) -> Any:
    """Return an object without attributes."""
    return object.__new__(_class_of(theirs, ours))
