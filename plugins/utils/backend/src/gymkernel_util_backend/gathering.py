"""`gatherer`: what makes the batch of n elements at once, in new arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import ops
from gymkernel_util_backend.fitting import casting_of, fitted_all
from gymkernel_util_backend.plan import part_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gymkernel_util_backend.plan import BatchPlan, Leaf

    Gather = Callable[[Sequence[Any]], Any]

__all__ = ["gatherer"]


def gatherer(plan: BatchPlan, space: Any, n: int) -> Gather:
    """A function of n elements that makes their batch; it raises where one of them is not plainly as the plan says.

    Args:
        plan: of the space, without encoded parts.
        space: of one element.
        n: number of elements.
    """
    leaves = [_leaf(leaf, n) for leaf in plan.leaves]
    odd = [_tupled(part_of(space, path), n) for path in plan.odd]

    def built(tree: Any) -> Gather:
        if isinstance(tree, int):
            return leaves[tree] if tree >= 0 else odd[~tree]
        kind, children = tree
        return _product(kind, [(key, built(child)) for key, child in children])

    return built(plan.tree)


def _leaf(leaf: Leaf, n: int) -> Gather:
    dtype, inner, casting = leaf.dtype, leaf.shape, casting_of(leaf.dtype)
    shape = (n, *inner)
    lengths, flat = list(inner[:1]) * n, (n * math.prod(inner[:1]), *inner[1:])

    def numbers(column: Sequence[Any]) -> Any:
        values = np.array(column)
        if values.dtype is dtype and values.shape == shape:
            return values
        return fitted_all(values, shape, dtype, casting).astype(dtype)

    def arrays(column: Sequence[Any]) -> Any:
        if list(map(len, column)) != lengths:  # one that is too long must not make up for one that is too short
            raise ValueError(lengths)
        joined = np.concatenate(column, dtype=dtype, casting=casting)
        if joined.shape != flat or type(joined) is not np.ndarray:
            raise ValueError(joined.shape)
        return joined.reshape(shape)

    def array(column: Sequence[Any]) -> Any:
        (one,) = column
        if type(one) is np.ndarray and one.dtype is dtype and one.shape == inner:
            return one[None].copy()
        return arrays(column)

    return (array if n == 1 else arrays) if inner else numbers


def _tupled(space: Any, n: int) -> Gather:
    """Parts that no array of a batch holds; those of which a layout would hold one must be in their space."""
    contains = space.contains if ops.layout(space) is not None else None

    def gather(column: Sequence[Any]) -> Any:
        if contains is not None and not all(map(contains, column)):
            raise ValueError(column)
        return ops.concatenate(space, column, ops.create_empty_array(space, n))

    return gather


def _product(kind: Any, children: list[tuple[Any, Gather]]) -> Gather:
    if kind is dict and children:
        return lambda column: {key: gather([one[key] for one in column]) for key, gather in children}
    if kind is dict:

        def none(column: Sequence[Any]) -> Any:
            if not all(isinstance(one, Mapping) for one in column):
                raise ValueError(column)
            return {}

        return none

    def several(column: Sequence[Any]) -> Any:
        for one in column:
            if len(one) != len(children):
                raise ValueError(one)
        parts = [gather([one[key] for one in column]) for key, gather in children]
        return tuple(parts) if kind is tuple else kind._make(parts)

    return several
