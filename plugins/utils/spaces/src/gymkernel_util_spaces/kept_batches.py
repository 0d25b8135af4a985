"""The class `KeptBatches`, a cache of batch spaces for spaces such as Graph, whose elements contain batches."""

from __future__ import annotations

from typing import Any

from gymkernel import ops
from gymkernel_util_spaces.plans import ArrayPlan, plan_of

__all__ = ["KeptBatches"]


class KeptBatches:
    """A cache of the batch spaces of a space, keyed by batch size. The cache is cleared when the space changes.

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
        self._cache: dict[int, Any] = {}

    def of(self, space: Any, *, with_arrays: bool = True) -> dict[int, Any]:
        """Return the cached batch spaces of a space, keyed by batch size. The caller may add others.

        Args:
            space: the space that each element belongs to.
            with_arrays: whether changes to arrays, such as bounds, also clear the cache. This is not necessary for
                iterating over a batch, which requires only the structure of the batch space, because the structure does
                not depend on bounds.
        """
        plan = self._plan
        if plan is not None and with_arrays:
            plan.notice_changes()
        if plan is None or plan.space is not space or (plan.version != ops.version and not plan.is_current()):
            self._plan, self._cache = plan_of(space), {}
        return self._cache

    def one(self, space: Any, *, with_arrays: bool = True) -> Any:
        """Return the batch space for batches of one element.

        Args:
            space: the space that each element belongs to.
            with_arrays: whether changes to arrays also clear the cache, as for `of`.
        """
        plan = self._plan
        if not with_arrays and plan is not None and plan.space is space and plan.version == ops.version:
            batches = self._cache
        else:
            batches = self.of(space, with_arrays=with_arrays)
        if 1 not in batches:
            batches[1] = ops.batch_space(space, 1)
        return batches[1]
