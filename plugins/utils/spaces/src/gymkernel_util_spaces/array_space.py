"""`ArraySpace`, the base class of spaces whose elements are arrays of a fixed shape and dtype."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.protocols import T_co
from gymkernel.space import Field, Layout, Space
from gymkernel_util_spaces.array_facts import current_facts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ArraySpace"]

put = object.__setattr__


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
        put(self, "_facts", None)
        put(self, "_latest_facts", None)
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
