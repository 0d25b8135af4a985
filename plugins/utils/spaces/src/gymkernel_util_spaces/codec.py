"""Functions and a class for spaces whose elements contain several elements of an inner space.

A space's codec writes each part of an element directly into the vector. Each space computes its codec once. Use
`gymkernel.arrays.register_codec` to register a codec for a space class.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gymkernel import ops
from gymkernel.ops import batch
from gymkernel_util_spaces.plans import ArrayPlan, plan_of
from gymkernel_util_spaces.vectors import Codec, StaleCodec

__all__ = ["KeptBatches", "codec", "flatten_all", "is_side_by_side", "unflatten_all"]


def codec(space: Any) -> Codec | None:
    """Return the codec of a space, or None if the length of flattened elements is not fixed.

    Args:
        space: a space from any library.
    """
    return plan_of(space).codec


def flatten_all(space: Any, elements: Iterable[Any]) -> Any:
    """Flatten elements, and combine the results into a batch.

    Args:
        space: the space that each element belongs to.
        elements: any number of elements of the space.

    Returns:
        An array of shape (number of elements, flatdim(space)). If the length of flattened elements varies, the result
        is a batch of `flatten_space(space)` instead.
    """
    rows = list(elements)
    whole = codec(space)
    if whole is None:
        flat, flatten = ops.flatten_space(space), ops.flatten.dispatch(type(space))
        return batch(flat, [flatten(space, x) for x in rows])
    out = np.zeros((len(rows), whole.size), whole.dtype)
    try:
        for x, row in zip(rows, out, strict=True):
            whole.write(x, row)
    except StaleCodec:
        return flatten_all(space, rows)
    return out


def unflatten_all(space: Any, flat: Any) -> Any:
    """Convert the result of `flatten_all` back to a batch of elements.

    Args:
        space: the space that each element belongs to.
        flat: the result of `flatten_all(space, elements)`.

    Returns:
        A batch of elements of `space`.
    """
    whole = codec(space)
    if whole is None:
        rows = ops.iterate(ops.batch_space(ops.flatten_space(space), 1), flat)
        return batch(space, [ops.unflatten(space, row) for row in rows])
    try:
        return batch(space, [whole.read(row) for row in flat])
    except StaleCodec:
        return unflatten_all(space, flat)


def is_side_by_side(space: Any, batched: Any) -> bool:
    """Return whether the batch space of a space, or of one of its inner spaces, is a Tuple of copies of the space.

    Args:
        space: the space that each element belongs to.
        batched: the result of `batch_space` for the space.
    """
    outer, inner = (dict(s.parts()) if hasattr(s, "parts") else {} for s in (batched, space))
    if outer and next(iter(outer.values())) == space:
        return True
    return any(is_side_by_side(part, outer[key]) for key, part in inner.items() if key in outer)


class KeptBatches:
    """A cache of the batch spaces of a space, keyed by batch size. The cache is cleared when the space changes.

    >>> from gymkernel.spaces import Discrete  # doctest: +SKIP
    >>> space, kept = Discrete(3), KeptBatches()  # doctest: +SKIP
    >>> kept.one(space)  # doctest: +SKIP
    MultiDiscrete([3])
    >>> space.n = 7  # doctest: +SKIP
    >>> kept.one(space)  # doctest: +SKIP
    MultiDiscrete([7])
    """

    def __init__(self) -> None:
        self._plan: ArrayPlan | None = None
        self._cache: dict[int, Any] = {}

    def of(self, space: Any, *, with_arrays: bool = True) -> dict[int, Any]:
        """Return the cached batch spaces of a space, keyed by batch size. The caller may add others.

        Args:
            space: the space that each element belongs to.
            with_arrays: whether changes to arrays, such as bounds, also clear the cache. This is not necessary for
                iterating over a batch, which requires only the structure of the batch space, because the structure does
                not depend on bounds.
        """
        plan = self._plan
        if plan is not None and with_arrays:
            plan.notice_changes()
        if plan is None or plan.space is not space or (plan.version != ops.version and not plan.is_current()):
            self._plan, self._cache = plan_of(space), {}
        return self._cache

    def one(self, space: Any, *, with_arrays: bool = True) -> Any:
        """Return the batch space for batches of one element.

        Args:
            space: the space that each element belongs to.
            with_arrays: whether changes to arrays also clear the cache, as for `of`.
        """
        plan = self._plan
        if not with_arrays and plan is not None and plan.space is space and plan.version == ops.version:
            batches = self._cache
        else:
            batches = self.of(space, with_arrays=with_arrays)
        if 1 not in batches:
            batches[1] = ops.batch_space(space, 1)
        return batches[1]
