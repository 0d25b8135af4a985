"""The function `column_plan`, which describes arrays that contain one number for each environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from gymkernel_util_spaces.batches import BatchPlan, Leaf

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

__all__ = ["RESULTS", "column_plan"]


def column_plan(**dtypes: DTypeLike) -> BatchPlan:
    """Return the array plan for a dictionary of arrays that contain one number for each environment.

    Args:
        **dtypes: the dtype of each array, keyed by name.

    >>> column_plan(rewards=np.float64).nested([np.zeros(2)])
    {'rewards': array([0., 0.])}
    """
    leaves = tuple(Leaf((name,), np.dtype(dtype), ()) for name, dtype in dtypes.items())
    return BatchPlan(leaves, encoded=(), object_parts=(), tree=(dict, [(name, i) for i, name in enumerate(dtypes)]))


RESULTS: Final = {"rewards": np.float64, "terminations": np.bool_, "truncations": np.bool_}
"""The dtypes of the numbers that each environment returns in a step."""
