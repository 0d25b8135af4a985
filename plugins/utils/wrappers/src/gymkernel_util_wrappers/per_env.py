"""`PerEnv`: a wrapper for each environment of a vector environment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import ops

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv
    from gymkernel.wrapper import Where

__all__ = ["PerEnv"]


class PerEnv:
    """A single wrapper for each environment, with the methods of a batched one."""

    def __init__(self, envs: VectorEnv[Any, Any, Any], each: list[Any]) -> None:
        self.envs, self.each, self.indices = envs, each, np.arange(len(each))
        self.actions = ops.batch_space(each[0].action_space, len(each))
        self.seen: list[Any] = [None] * len(each)
        self.acted: list[Any] = [None] * len(each)

    def _where(self, where: Where) -> Iterable[int]:
        return self.indices[where].tolist()  # type: ignore[no-any-return]

    def on_reset(self, where: Where) -> None:
        """Tell those of a mask that an episode begins."""
        for i in self._where(where):
            self.each[i].on_reset()

    def observation(self, observations: Any, where: Where) -> Any:
        """The batch through the wrappers of a mask; the others show what they showed last."""
        items = list(ops.iterate(self.envs.observation_space, observations))
        others = [False] * len(items) if where is ... else np.logical_not(where).tolist()
        every = zip(self.each, items, self.seen, others, strict=True)  # one never seen was never reset
        self.seen = [old if other and old is not None else one.observation(new) for one, new, old, other in every]
        return self._batch(self.each[0].observation_space, self.seen)

    def action(self, actions: Any, where: Where) -> Any:
        """The batch through the wrappers of a mask; the others act as they did last."""
        items = list(ops.iterate(self.actions, actions))
        for i in self._where(where):
            self.acted[i] = self.each[i].action(items[i])
        inner = self.envs.single_action_space
        return self._batch(inner, [inner.sample() if one is None else one for one in self.acted])

    def reward(self, rewards: Any, where: Where) -> Any:
        """The batch, that of a mask through the wrappers."""
        changed, each = np.array(rewards), self.each
        for i in self._where(where):
            changed[i] = each[i].reward(rewards[i])
        return changed

    def _batch(self, space: Any, items: list[Any]) -> Any:
        return ops.concatenate(space, items, ops.create_empty_array(space, len(items)))
