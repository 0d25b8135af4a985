"""`ArraySpace`, a space of arrays, and functions for values derived from array attributes, such as the bounds of a Box.

A space stores its arrays in the tuple `_arrays`. The arrays may be shared until a program reads one of them through an
`array_attribute`. At that point, the space makes copies of its own, which the program may modify. From then on, each
call of `current_facts` compares the arrays with those from which the derived values (facts) were computed. The
comparisons stop when no code outside the space holds a reference to one of the arrays. While there are no such
references, a space only reads `_facts`, which costs nothing extra.

Private attributes are set with `object.__setattr__`, because `Space.__setattr__` would discard the facts. `__dict__` is
not used either, because in Python 3.11 and 3.12 it would make attribute access of the space slower.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from gymkernel.protocols import T_co
from gymkernel.space import Field, Layout, Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ArrayFacts", "ArraySpace", "array_attribute", "current_facts"]


class ArrayFacts(Protocol):
    """The values that a space derives from its arrays.

    Attributes:
        arrays: the arrays from which the values were derived. They must not be modified.
    """

    arrays: tuple[Any, ...]


F = TypeVar("F", bound=ArrayFacts)

_set = object.__setattr__


class _Probe:
    _arrays = (np.empty(0),)


_PRIVATE = sys.getrefcount(_Probe._arrays[0])  # noqa: SLF001 - must look like the call in `_is_private`
"""The reference count of an array to which only `_arrays` refers, as measured in `_is_private`."""


def array_attribute(index: int, doc: str) -> Any:
    """Create a property for an array of a space that programs may replace or modify.

    Args:
        index: the position of the array in `_arrays`.
        doc: the docstring of the property.
    """

    def read(space: Any) -> Any:
        if not space._is_read:  # noqa: SLF001 - every space with array attributes has `_is_read`
            _set(space, "_arrays", tuple([array.copy() for array in space._arrays]))  # noqa: SLF001
            _set(space, "_is_read", True)
        # The facts are removed last, because another thread may compute them in the meantime.
        _set(space, "_facts", None)
        return space._arrays[index]  # noqa: SLF001

    def write(space: Any, value: Any) -> None:
        read(space)
        arrays = list(space._arrays)  # noqa: SLF001
        arrays[index] = value
        _set(space, "_arrays", tuple(arrays))

    return property(read, write, doc=doc)


def _is_private(space: Any, index: int) -> bool:
    """Return whether no code outside the space can modify its array at the given index."""
    if sys.getrefcount(space._arrays[index]) > _PRIVATE:  # noqa: SLF001
        return False
    array = space._arrays[index]  # noqa: SLF001
    return isinstance(array, np.ndarray) and array.base is None


def _is_same(value: Any, array: np.ndarray[Any, Any]) -> bool:
    value = np.asarray(value)
    is_same_form = value.dtype == array.dtype and value.shape == array.shape
    return is_same_form and bool(value.tobytes() == array.tobytes())


def current_facts(space: Any, make: Callable[[tuple[Any, ...]], F]) -> F:
    """Return the values derived from a space's arrays, and compute them again only if the arrays have changed.

    Args:
        space: a space with array attributes. It should call this function only if its `_facts` is None.
        make: a function that derives the values from the arrays without modifying the arrays.
    """
    facts: F | None = space._latest_facts  # noqa: SLF001
    if not space._is_read:  # noqa: SLF001
        if facts is None:
            facts = make(space._arrays)  # noqa: SLF001
    elif facts is None or not all(map(_is_same, space._arrays, facts.arrays)):  # noqa: SLF001
        if facts is not None:
            space._drop_facts()  # noqa: SLF001
        facts = make(tuple(map(np.array, space._arrays)))  # noqa: SLF001
    _set(space, "_latest_facts", facts)
    # The facts are set before the check, because another thread may remove them in the meantime.
    _set(space, "_facts", facts)
    if space._is_read and not all([_is_private(space, i) for i in range(len(facts.arrays))]):  # noqa: C419, SLF001
        _set(space, "_facts", None)
    return facts


class ArraySpace(Space[T_co]):
    """A space whose elements are arrays of a fixed shape and dtype.

    A class that derives values from array attributes, as described in `gymkernel_util_spaces.array_facts`, also defines
    `_facts_of`, which computes these values from the arrays.
    """

    _facts: Any = None
    _latest_facts: Any = None
    _is_read = False
    _facts_of: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the elements."""
        return self._shape  # type: ignore[return-value]

    def _notice_changes(self) -> None:
        if self._latest_facts is not None and self._facts is None:
            current_facts(self, self._facts_of)

    def _drop_facts(self) -> None:
        if self._latest_facts is not None:
            _set(self, "_facts", None)
            _set(self, "_latest_facts", None)
        super()._drop_facts()

    def to_jsonable(self, sample_n: Iterable[Any]) -> list[Any]:
        """Convert arrays to nested lists of numbers."""
        return [sample.tolist() for sample in sample_n]

    def from_jsonable(self, sample_n: Iterable[Any]) -> list[NDArray[Any]]:
        """Convert nested lists of numbers to arrays."""
        return [np.array(sample, self.dtype) for sample in sample_n]

    def layout(self) -> Layout:
        """Return a single field, because an element is itself an array."""
        return (Field(self.dtype, self.shape),)

    def decode(self, arrays: Sequence[NDArray[Any]]) -> Any:
        """Return a copy of the array, even if it contains only a single number."""
        return arrays[0].copy()
