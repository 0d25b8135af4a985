"""The function `data_equivalence`, which compares two results of an environment."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["data_equivalence"]


def data_equivalence(data_1: Any, data_2: Any, exact: bool = False) -> bool:
    """Return whether two observations, actions or infos have the same types, shapes, dtypes and values.

    NaN counts as equal to NaN.

    Args:
        data_1: the first value.
        data_2: the second value.
        exact: whether arrays must be exactly equal. If not, differences within `rtol=atol=1e-5` are allowed.

    >>> import numpy as np
    >>> data_equivalence({"a": np.ones(2)}, {"a": np.ones(2) + 1e-7})
    True
    >>> data_equivalence(np.ones(2, np.float32), np.ones(2, np.float64))
    False
    """
    if type(data_1) is not type(data_2):
        return False
    if isinstance(data_1, dict):
        return data_1.keys() == data_2.keys() and all(data_equivalence(data_1[k], data_2[k], exact) for k in data_1)
    if isinstance(data_1, tuple | list):
        pairs = zip(data_1, data_2, strict=False)
        return len(data_1) == len(data_2) and all(data_equivalence(a, b, exact) for a, b in pairs)
    if isinstance(data_1, np.ndarray):
        return data_1.shape == data_2.shape and data_1.dtype == data_2.dtype and _equal_arrays(data_1, data_2, exact)
    if isinstance(data_1, float | np.floating) and np.isnan(data_1) and np.isnan(data_2):
        return True
    return bool(np.all(data_1 == data_2))


def _equal_arrays(a: Any, b: Any, exact: bool) -> bool:
    if a.dtype == object:
        return data_equivalence(a.tolist(), b.tolist(), exact)
    numbers = a.dtype.kind in "fc"
    if exact or not numbers:
        return bool(np.array_equal(a, b, equal_nan=numbers))
    return bool(np.allclose(a, b, rtol=1e-5, atol=1e-5, equal_nan=True))
