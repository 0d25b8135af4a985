"""How elements of a space become part of one vector, worked out once per space instead of at every call.

`flatten` and `unflatten` of a nested space are one walk over its codec: every leaf writes straight into its place of
the one vector. A space that has a faster way than its `flatten` registers it beside its class, `@register(MySpace)`;
with `gymkernel.arrays.register_codec` it needs no `flatten` of its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gymkernel import ops
from gymkernel.ops import batch
from gymkernel.ops import changed as forget
from gymkernel_util_spaces.plans import plan_of, register
from gymkernel_util_spaces.vectors import Array, Codec, Nest, StaleCodec, of_array, of_parts

__all__ = [
    "Array",
    "Codec",
    "Nest",
    "StaleCodec",
    "batch",
    "codec",
    "compose",
    "flatten_all",
    "forget",
    "is_side_by_side",
]
__all__ += ["of_array", "register", "unflatten_all"]


def codec(space: Any) -> Codec | None:
    """The codec of a space; None where its elements have no fixed length.

    Args:
        space: a space of any library.
    """
    return plan_of(space).codec


def compose(spaces: dict[Any, Any] | tuple[Any, ...]) -> Codec | None:
    """The codec of several spaces side by side, whose elements are dicts or tuples; None where one has none.

    Args:
        spaces: the spaces by key for dicts, in order for tuples.
    """
    parts = spaces.items() if isinstance(spaces, dict) else enumerate(spaces)
    return of_parts([(key, codec(space)) for key, space in parts], named=isinstance(spaces, dict))


def flatten_all(space: Any, elements: Iterable[Any]) -> Any:
    """The flattened elements as one batch: the rows of an array where they have one length.

    Args:
        space: the space of one element.
        elements: elements of it, perhaps none.

    Returns:
        Where elements have one length an array of shape (number, flatdim(space)), else a batch of
        `flatten_space(space)`.
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
    """The batch of elements whose flattened batch is `flat`.

    Args:
        space: the space of one element.
        flat: what `flatten_all(space, elements)` returned.

    Returns:
        The elements as a batch of `space`.
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
    """Whether the batch of a space, or of a part of it, is copies of that space, so that it depends on their number.

    Args:
        space: the space of one element.
        batched: what `batch_space` made of it.
    """
    outer, inner = (dict(one.parts()) if hasattr(one, "parts") else {} for one in (batched, space))
    if outer and next(iter(outer.values())) == space:
        return True
    return any(is_side_by_side(part, outer[key]) for key, part in inner.items() if key in outer)
