"""`KeptBatches`: batched spaces of a space that may change, for spaces such as Graph that draw or read batches."""

from __future__ import annotations

from typing import Any

from gymkernel import ops
from gymkernel_util_spaces.plans import ArrayPlan, plan_of

__all__ = ["KeptBatches"]


class KeptBatches:
    """Batched spaces by the number of elements, kept until the space of the elements changes.

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
        self._kept: dict[int, Any] = {}

    def of(self, space: Any, *, with_arrays: bool = True) -> dict[int, Any]:
        """Return the batched spaces that are kept for a space, by the number of elements; new ones may be added.

        Args:
            space: the space of one element.
            with_arrays: whether the bounds of the batches count. What iterates over a batch needs only its structure,
                which arrays such as bounds do not change.
        """
        plan = self._plan
        if plan is not None and with_arrays:
            plan.notice_changes()
        if plan is None or plan.space is not space or (plan.version != ops.version and not plan.is_current()):
            self._plan, self._kept = plan_of(space), {}
        return self._kept

    def one(self, space: Any, *, with_arrays: bool = True) -> Any:
        """Return the space of a batch of one element.

        Args:
            space: the space of one element.
            with_arrays: as for `of`.
        """
        plan = self._plan
        if not with_arrays and plan is not None and plan.space is space and plan.version == ops.version:
            kept = self._kept
        else:
            kept = self.of(space, with_arrays=with_arrays)
        if 1 not in kept:
            kept[1] = ops.batch_space(space, 1)
        return kept[1]
