"""`StickyAction` for vector environments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.ops import concatenate, create_empty_array, iterate
from gymkernel.protocols import ActType, ArrayType, Mask, ObsType
from gymkernel_util_wrappers.vectorized import VectorizedActionWrapper, parameters_of
from gymkernel_wrapper_sticky_action import StickyAction as Single

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel.vector_env import VectorEnv
    from gymkernel.wrapper import Where

__all__ = ["StickyAction"]


class _Batch(Single[Any, Any]):
    """The same over a batch: `last_action` is one, and what is known of each environment is in arrays."""

    batched = True

    def on_reset(self, where: Where = ...) -> None:
        if where is ...:
            view: Any = self.env
            self._envs, self._n = view.envs, view.envs.num_envs
            self._known = np.zeros(self._n, np.bool_)
            self._left = np.zeros(self._n, np.int64)
            self.last_action = None
            self._own: Any = None
        self._known[where] = False
        self._left[where] = 0

    def action(self, action: Any, where: Where = ...) -> Any:
        acting = np.zeros(self._n, np.bool_)
        acting[where] = True
        going = acting & (self._left > 0)
        open_ = acting & self._known & ~going
        if open_.any():
            chance = self._drawn(open_, "random")
            begun = open_ & (chance < self.repeat_action_probability)
            if begun.any():
                least, most = self.repeat_action_duration_range
                self._left[begun] = self._fixed or self._drawn(begun, "integers", least, most + 1)[begun]
                going |= begun
        self._left[going] -= 1
        acted = self._mixed(action, going)
        self.last_action = self._mixed(action, ~acting | going)
        self._known |= acting
        return acted

    def _mixed(self, actions: Any, before: Mask) -> Any:
        """The batch, with the action before in the rows of a mask."""
        if self.last_action is None or not before.any():
            return actions.copy() if isinstance(actions, np.ndarray) else actions
        if isinstance(actions, np.ndarray):
            mixed = actions.copy()
            mixed[before] = self.last_action[before]
            return mixed
        batches = (iterate(self._envs.action_space, one) for one in (actions, self.last_action))
        rows = [last if here else new for new, last, here in zip(*batches, before.tolist(), strict=True)]
        return concatenate(self.action_space, rows, create_empty_array(self.action_space, self._n))

    def _drawn(self, mask: Mask, name: str, *arguments: Any) -> NDArray[Any]:
        """A number for each environment of a mask, of its own generator, wherever that lives; elsewhere anything."""
        ask: Callable[..., Any] | None = getattr(self._envs.unwrapped, "call_masked", None)
        if ask is not None:
            drawn = ask(mask, f"np_random.{name}", *arguments)
            return np.array([0 if one is None else one for one in drawn])
        generators: Any = self.np_random
        if not isinstance(generators, tuple):  # one for all
            numbers = np.zeros(self._n)
            numbers[mask] = getattr(generators, name)(*arguments, size=int(mask.sum()))
            return numbers
        again: Any = self.np_random
        if generators[0] is not again[0]:  # copies from other processes: drawing would not change those there
            generators = self._own = self._own or generators
        pairs = zip(generators, mask.tolist(), strict=True)
        return np.array([getattr(one, name)(*arguments) if here else 0 for one, here in pairs])


class StickyAction(VectorizedActionWrapper[ObsType, ActType, ActType, ArrayType]):
    """Repeat the action before with some probability, in every environment on its own.

    The chance is drawn from each environment's own generator, so that the same seeds give the same repetitions as
    around single environments. Where a backend of another library keeps the generators in other processes, copies of
    them are drawn from.

    Arguments and errors are those of `gymkernel.wrappers.StickyAction`.
    """

    single = _Batch

    @parameters_of(Single)
    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType]) -> None: ...
