"""Functions and classes that check and store extras, the additional arrays that a policy may return."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gymkernel_tool_rollout.collecting.fitting import differences, fit_leaf
from gymkernel_tool_rollout.collecting.tables import Table
from gymkernel_util_spaces.batches import BatchPlan, Leaf

__all__ = ["ExtrasTable", "plan_of_extras", "refuse_extras"]


def plan_of_extras(extras: Mapping[str, Any], n: int) -> BatchPlan:
    """Derive the array plan for a policy's extras from the first ones that the policy returned.

    Args:
        extras: the extras of a fragment's first time step: arrays keyed by name, with one row per environment.
        n: the number of environments.

    Raises:
        ValueError: if an extra is not an array of numbers, or has the wrong number of rows.
    """
    leaves: list[Leaf] = []

    def walk(value: Any, path: tuple[Any, ...]) -> Any:
        if isinstance(value, Mapping):
            return dict, [(key, walk(part, (*path, key))) for key, part in value.items()]
        array = np.asarray(value)
        if array.shape[:1] != (n,) or array.dtype.hasobject:
            where = "".join(f"[{key!r}]" for key in path)
            message = (
                f"Expected extras{where} of the policy to be an array of numbers with {n} rows, one for each "
                f"environment, got an array of shape {array.shape} and dtype {array.dtype}"
            )
            raise ValueError(message)
        leaves.append(Leaf(path, array.dtype, array.shape[1:]))
        return len(leaves) - 1

    tree = walk(extras, ())
    return BatchPlan(tuple(leaves), (), (), tree)


class ExtrasTable(Table):
    """A table that stores a fragment's extras. Every time step must have the same extras as the first one."""

    def put(self, t: int, batch: Any) -> None:
        """Write the extras of one time step.

        Args:
            t: the index of the time step in the fragment.
            batch: the extras, with one row per environment.

        Raises:
            ValueError: if the names or shapes of the extras differ from those in the fragment's first time step, or if
                an extra contains a number that its dtype in the first time step cannot represent.
        """
        difference = differences(self.plan.tree, batch)
        if difference:
            raise _mismatch(t, difference)
        for leaf, array in zip(self.plan.leaves, self.arrays, strict=True):
            part = batch
            for key in leaf.path:
                part = part[key]
            array[t] = fit_leaf(leaf, part, self.n, f"extras{{}} of the policy at time step {t}, as at the first,")


def refuse_extras(t: int, extras: Mapping[str, Any]) -> None:
    """Check that a time step has no extras if the fragment's first time step had none.

    Args:
        t: the index of the time step in the fragment.
        extras: the extras that the policy returned at this time step.

    Raises:
        ValueError: if the time step has extras.
    """
    if extras:
        raise _mismatch(t, differences((dict, []), extras))


def _mismatch(t: int, difference: str) -> ValueError:
    return ValueError(
        "Expected the policy to return the same extras at every time step of a fragment, got different extras at time "
        f"step {t} than at the first: {difference}. Return every extra at every step, for example NaN if an extra has "
        "no value"
    )
