"""The `StickyAction` wrapper for vector environments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.ops import batch, iterate
from gymkernel.protocols import ActType, ArrayType, Mask, ObsType, VectorEnvLike, Where
from gymkernel_util_wrappers.vectorized import VectorizedActionWrapper, parameters_of
from gymkernel_wrapper_sticky_action import StickyAction as Single

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["StickyAction"]


class _Batch(Single[Any, Any]):
    """A `StickyAction` for batches, which stores the state of all environments in arrays."""

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
        repeating = acting & (self._left > 0)
        undecided = acting & self._known & ~repeating
        if undecided.any():
            chance = self._draw_each(undecided, "random")
            starting = undecided & (chance < self.repeat_action_probability)
            if starting.any():
                least, most = self.repeat_action_duration_range
                self._left[starting] = self._fixed or self._draw_each(starting, "integers", least, most + 1)[starting]
                repeating |= starting
        self._left[repeating] -= 1
        taken = self._merge(action, repeating)
        self.last_action = self._merge(action, ~acting | repeating)
        self._known |= acting
        return taken

    def _merge(self, actions: Any, before: Mask) -> Any:
        """Return a batch of actions in which the actions that the mask selects are replaced by the previous actions."""
        if self.last_action is None or not before.any():
            return actions.copy() if isinstance(actions, np.ndarray) else actions
        if isinstance(actions, np.ndarray):
            merged = actions.copy()
            merged[before] = self.last_action[before]
            return merged
        batches = (iterate(self._envs.action_space, part) for part in (actions, self.last_action))
        rows = [last if repeats else new for new, last, repeats in zip(*batches, before.tolist(), strict=True)]
        return batch(self.action_space, rows)

    def _draw_each(self, mask: Mask, name: str, *arguments: Any) -> NDArray[Any]:
        """Return an array with a random number from the own generator of each environment that the mask selects."""
        ask: Callable[..., Any] | None = getattr(self._envs.unwrapped, "call_masked", None)
        if ask is not None:
            numbers = ask(mask, f"np_random.{name}", *arguments)
            return np.array([0 if number is None else number for number in numbers])
        generators: Any = self.np_random
        if not isinstance(generators, tuple):  # all environments share a generator
            drawn = np.zeros(self._n)
            drawn[mask] = getattr(generators, name)(*arguments, size=int(mask.sum()))
            return drawn
        again: Any = self.np_random
        if generators[0] is not again[0]:  # the generators are copies of generators in other processes
            generators = self._own = self._own or generators
        pairs = zip(generators, mask.tolist(), strict=True)
        return np.array([getattr(generator, name)(*arguments) if draws else 0 for generator, draws in pairs])


class StickyAction(VectorizedActionWrapper[ObsType, ActType, ActType, ArrayType]):
    """A vector wrapper that repeats the previous action of an environment with a given probability.

    The wrapper uses each environment's own random number generator. Therefore, each environment repeats the same
    actions as a single environment with the same wrapper and the same seed. If another library's vector backend keeps
    the generators in other processes, the wrapper uses copies of the generators.

    The arguments and exceptions are the same as for `gymkernel.wrappers.StickyAction`.

    >>> import gymkernel as gym
    >>> envs = StickyAction(gym.make_vec("CartPole-v1", 2, "sync"), 0.5)  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> envs.step([0, 1])[0].shape  # doctest: +SKIP
    (2, 4)
    """

    single = _Batch

    @parameters_of(Single)
    def __init__(self, env: VectorEnvLike[ObsType, ActType, ArrayType]) -> None: ...
