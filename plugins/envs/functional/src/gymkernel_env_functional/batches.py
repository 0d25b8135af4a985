"""Functions for batches: arrays with a batch axis, and trees (nested tuples and dictionaries) of such arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Indexes = NDArray[np.intp]

__all__ = ["merge", "rows", "stack", "take"]


def _map(function: Callable[..., Any], first: Any, *others: Any) -> Any:
    """Apply a function to the corresponding arrays of several trees that have the same structure."""
    if isinstance(first, dict):
        return {key: _map(function, first[key], *(other[key] for other in others)) for key in first}
    if isinstance(first, tuple):
        parts = [_map(function, *column) for column in zip(first, *others, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
    return function(first, *others)


def stack(trees: Sequence[Any]) -> Any:
    """Combine several trees into a batch.

    >>> stack([(1, {"x": 0.5}), (2, {"x": 1.5})])
    (array([1, 2]), {'x': array([0.5, 1.5])})
    """
    return _map(lambda *parts: np.stack(parts), *trees)


def take(batch: Any, where: Indexes) -> Any:
    """Return the given rows of a batch.

    >>> take((np.arange(5),), np.array([3, 0]))
    (array([3, 0]),)
    """
    return _map(lambda part: part[where], batch)


def rows(batch: Any, n: int) -> list[Any]:
    """Split a batch of n elements into n trees.

    >>> rows({"x": np.arange(2)}, 2)
    [{'x': np.int64(0)}, {'x': np.int64(1)}]
    """
    return [_map(lambda part, i=i: part[i], batch) for i in range(n)]


def merge(n: int, parts: Sequence[tuple[Indexes, Any]]) -> Any:
    """Merge (row indices, batch) pairs into a single batch of n rows.

    >>> merge(3, [(np.array([2]), np.array([9])), (np.array([0, 1]), np.array([5, 6]))])
    array([5, 6, 9])
    """

    def merge_column(*columns: NDArray[Any]) -> NDArray[Any]:
        merged = np.zeros((n, *columns[0].shape[1:]), np.result_type(*columns))
        for (where, _), column in zip(parts, columns, strict=True):
            merged[where] = column
        return merged

    return _map(merge_column, *(batch for _, batch in parts))
