"""The class `PerEnv`, which holds one wrapper for each environment of a vector environment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gymkernel import ops
from gymkernel.protocols import Where
from gymkernel.vector_env import VectorEnv

__all__ = ["PerEnv"]


class PerEnv:
    """A batched wrapper that consists of one single-environment wrapper for each environment."""

    def __init__(self, envs: VectorEnv[Any, Any, Any], each: list[Any]) -> None:
        self.envs, self.each, self.indices = envs, each, np.arange(len(each))
        self.actions = ops.batch_space(each[0].action_space, len(each))
        self.seen: list[Any] = [None] * len(each)
        self.taken: list[Any] = [None] * len(each)

    def _indices(self, where: Where) -> Iterable[int]:
        return self.indices[where].tolist()  # type: ignore[no-any-return]

    def on_reset(self, where: Where) -> None:
        """Call `on_reset` on each wrapper that `where` selects."""
        for i in self._indices(where):
            self.each[i].on_reset()

    def observation(self, observations: Any, where: Where) -> Any:
        """Transform the observations that `where` selects. The other environments keep their previous observations."""
        items = list(ops.iterate(self.envs.observation_space, observations))
        others = [False] * len(items) if where is ... else np.logical_not(where).tolist()
        every = zip(self.each, items, self.seen, others, strict=True)
        # If there is no previous observation, the environment has not been reset yet.
        self.seen = [
            old if is_other and old is not None else wrapper.observation(new) for wrapper, new, old, is_other in every
        ]
        return self._batch(self.each[0].observation_space, self.seen)

    def action(self, actions: Any, where: Where) -> Any:
        """Transform the actions that `where` selects. The other environments repeat their previous actions."""
        items = list(ops.iterate(self.actions, actions))
        for i in self._indices(where):
            self.taken[i] = self.each[i].action(items[i])
        inner = self.envs.single_action_space
        return self._batch(inner, [inner.sample() if action is None else action for action in self.taken])

    def reward(self, rewards: Any, where: Where) -> Any:
        """Transform the rewards that `where` selects, and return all rewards as a new batch."""
        changed, each = np.array(rewards), self.each
        for i in self._indices(where):
            changed[i] = each[i].reward(rewards[i])
        return changed

    def _batch(self, space: Any, items: list[Any]) -> Any:
        return ops.concatenate(space, items, ops.create_empty_array(space, len(items)))
