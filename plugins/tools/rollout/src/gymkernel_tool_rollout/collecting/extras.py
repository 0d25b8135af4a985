"""Extras, what a policy returns beside its actions: their plan, and the table that refuses others within a fragment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gymkernel_tool_rollout.collecting.fitting import differences, fit_leaf
from gymkernel_tool_rollout.collecting.tables import Table
from gymkernel_util_spaces.batches import BatchPlan, Leaf

__all__ = ["ExtrasTable", "plan_of_extras", "refuse_extras"]


def plan_of_extras(extras: Mapping[str, Any], n: int) -> BatchPlan:
    """Return the plan of what a policy returns beside its actions: arrays with a row for each environment, by name.

    Args:
        extras: of the first time step of a fragment.
        n: number of environments.

    Raises:
        ValueError: an extra is no array of numbers, or has another number of rows.
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
                f"environment, got one of shape {array.shape} and dtype {array.dtype}"
            )
            raise ValueError(message)
        leaves.append(Leaf(path, array.dtype, array.shape[1:]))
        return len(leaves) - 1

    tree = walk(extras, ())
    return BatchPlan(tuple(leaves), (), (), tree)


class ExtrasTable(Table):
    """The extras of a fragment, in arrays as the first time step had them; other extras are refused, not left out."""

    def put(self, t: int, batch: Any) -> None:
        """Write the extras of one time step.

        Raises:
            ValueError: an extra has appeared or disappeared since the first time step of the fragment, has another
                shape, or has a number that its dtype at the first time step does not hold.
        """
        found = differences(self.plan.tree, batch)
        if found:
            raise _others(t, found)
        for leaf, array in zip(self.plan.leaves, self.arrays, strict=True):
            part = batch
            for key in leaf.path:
                part = part[key]
            array[t] = fit_leaf(leaf, part, self.n, f"extras{{}} of the policy at time step {t}, as at the first,")


def refuse_extras(t: int, extras: Mapping[str, Any]) -> None:
    """Refuse extras at a time step of a fragment whose first time step had none.

    Args:
        t: the time step.
        extras: of this time step.

    Raises:
        ValueError: there are some.
    """
    if extras:
        raise _others(t, differences((dict, []), extras))


def _others(t: int, found: str) -> ValueError:
    return ValueError(
        "Expected the policy to return the same extras at every time step of a fragment, got others at time step "
        f"{t} than at the first: {found}. Return every extra at every step, for example with NaN where it has no value"
    )
