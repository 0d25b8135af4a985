"""The function `put_rows`, which returns a copy of a batch with some rows replaced."""

from __future__ import annotations

from typing import Any

__all__ = ["put_rows"]


def put_rows(batch: Any, rows: Any, values: Any) -> Any:
    """Return a copy of a batch in which some rows are replaced.

    Args:
        batch: an array, or a dictionary of arrays, with one row per environment.
        rows: the indices of the rows to replace.
        values: the new rows, in the order of the indices.

    >>> import numpy as np
    >>> put_rows(np.zeros(3), [2, 0], np.array([5.0, 6.0]))
    array([6., 0., 5.])
    """
    if isinstance(batch, dict):
        return {key: put_rows(part, rows, values[key]) for key, part in batch.items()}
    copied = batch.copy()
    copied[rows] = values
    return copied
