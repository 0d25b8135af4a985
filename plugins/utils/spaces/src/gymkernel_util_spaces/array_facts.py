"""What a space works out from arrays that programs may write to, such as the bounds of a Box, and when that is stale.

A space keeps its arrays in the tuple `_arrays`, and may share them, until a program reads one of them by an
`array_attribute`. From then on the space has arrays of its own, to which the program may write, and `current_facts`
compares them with those from which the facts were worked out: at every use, until nobody outside of the space holds
one. So a space whose arrays nobody holds pays nothing: it looks at `_facts` alone.

Private attributes are set by `object.__setattr__`: `Space.__setattr__` would drop the facts, and a use of `__dict__`
would make every attribute of the space slower (Python 3.11 and 3.12).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import numpy as np

__all__ = ["ArrayFacts", "array_attribute", "current_facts"]


class ArrayFacts(Protocol):
    """What was worked out from arrays.

    Attributes:
        arrays: the arrays, which nobody writes to.
    """

    arrays: tuple[Any, ...]


F = TypeVar("F", bound=ArrayFacts)

_set = object.__setattr__


class _Probe:
    _arrays = (np.empty(0),)


_PRIVATE = sys.getrefcount(_Probe._arrays[0])  # noqa: SLF001 - as it is counted below
"""The references to an array that only the tuple of a space holds, as `_is_private` counts them."""


def array_attribute(index: int, doc: str) -> Any:
    """Make a property for an array that programs may replace or write to.

    Args:
        index: the place of the array in `_arrays`.
        doc: the docstring of the property.
    """

    def read(space: Any) -> Any:
        if not space._is_read:  # noqa: SLF001 - declared by the classes that have array attributes
            _set(space, "_arrays", tuple([array.copy() for array in space._arrays]))  # noqa: SLF001 - likewise
            _set(space, "_is_read", True)
        _set(space, "_facts", None)  # last: another thread may work the facts out in between
        return space._arrays[index]  # noqa: SLF001 - likewise

    def write(space: Any, value: Any) -> None:
        read(space)
        arrays = list(space._arrays)  # noqa: SLF001 - likewise
        arrays[index] = value
        _set(space, "_arrays", tuple(arrays))

    return property(read, write, doc=doc)


def _is_private(space: Any, index: int) -> bool:
    """Whether nobody outside of a space can write to one of its arrays."""
    if sys.getrefcount(space._arrays[index]) > _PRIVATE:  # noqa: SLF001 - likewise
        return False
    array = space._arrays[index]  # noqa: SLF001 - likewise
    return isinstance(array, np.ndarray) and array.base is None


def _is_same(value: Any, array: np.ndarray[Any, Any]) -> bool:
    value = np.asarray(value)
    alike = value.dtype == array.dtype and value.shape == array.shape
    return alike and bool(value.tobytes() == array.tobytes())


def current_facts(space: Any, make: Callable[[tuple[Any, ...]], F]) -> F:
    """Return what follows from the arrays of a space as they are now: the facts of before where they still hold.

    Args:
        space: a space with array attributes, which looks for `_facts` first.
        make: makes the facts from the arrays, which nobody writes to.
    """
    facts: F | None = space._latest_facts  # noqa: SLF001 - likewise
    if not space._is_read:  # noqa: SLF001 - likewise
        if facts is None:
            facts = make(space._arrays)  # noqa: SLF001 - likewise
    elif facts is None or not all(map(_is_same, space._arrays, facts.arrays)):  # noqa: SLF001 - likewise
        if facts is not None:
            space._drop_facts()  # noqa: SLF001 - likewise
        facts = make(tuple(map(np.array, space._arrays)))  # noqa: SLF001 - likewise
    _set(space, "_latest_facts", facts)
    _set(space, "_facts", facts)  # before the look at who holds the arrays: a reader in another thread removes them
    if space._is_read and not all([_is_private(space, i) for i in range(len(facts.arrays))]):  # noqa: C419, SLF001
        _set(space, "_facts", None)
    return facts
