"""`gatherer`: what makes the batch of n elements at once, in new arrays."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gymkernel_util_backend.plan import BatchPlan, Leaf

    Gather = Callable[[Sequence[Any]], Any]

__all__ = ["gatherer"]


def gatherer(plan: BatchPlan, n: int) -> Gather:
    """A function of n elements that makes their batch; it raises where one of them is not as the plan says.

    Args:
        plan: of a space whose batch consists of arrays alone.
        n: number of elements.
    """
    leaves = [_leaf(leaf, n) for leaf in plan.leaves]

    def built(tree: Any) -> Gather:
        if isinstance(tree, int):
            return leaves[tree]
        kind, children = tree
        return _product(kind, [(key, built(child)) for key, child in children])

    return built(plan.tree)


def _leaf(leaf: Leaf, n: int) -> Gather:
    dtype, inner = leaf.dtype, leaf.shape
    shape = (n, *inner)
    lengths, flat = list(inner[:1]) * n, (n * math.prod(inner[:1]), *inner[1:])

    def numbers(column: Sequence[Any]) -> Any:
        return np.array(column, dtype).reshape(n)

    def arrays(column: Sequence[Any]) -> Any:
        if list(map(len, column)) != lengths:  # one that is too long must not make up for one that is too short
            raise ValueError(lengths)
        joined = np.concatenate(column, dtype=dtype)
        if joined.shape != flat:
            raise ValueError(joined.shape)
        return joined.reshape(shape)

    def array(column: Sequence[Any]) -> Any:
        (one,) = column
        if type(one) is np.ndarray and one.dtype is dtype and one.shape == inner:
            return one[None].copy()
        return arrays(column)

    return (array if n == 1 else arrays) if inner else numbers


def _product(kind: Any, children: list[tuple[Any, Gather]]) -> Gather:
    if kind is dict:
        return lambda column: {key: gather([one[key] for one in column]) for key, gather in children}

    def several(column: Sequence[Any]) -> Any:
        for one in column:
            if len(one) != len(children):
                raise ValueError(one)
        parts = [gather([one[key] for one in column]) for key, gather in children]
        return tuple(parts) if kind is tuple else kind(*parts)

    return several
