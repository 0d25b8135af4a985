"""Classes that let single-environment wrappers process the results of a vector environment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np

from gymkernel import ops
from gymkernel.protocols import Where
from gymkernel.specs import EnvSpec
from gymkernel.vector_env import VectorEnv

__all__ = ["EnvView", "PerEnv", "batch_axes"]


class EnvView:
    """A view of a vector environment that single-environment wrappers can use as their environment.

    Args:
        envs: the vector environment.
        index: the index of one of the environments. If None, the view shows all environments, for a wrapper that
            processes batches.
    """

    def __init__(self, envs: VectorEnv[Any, Any, Any], index: int | None = None) -> None:
        self.envs, self.index = envs, index
        # In SuperSuit's vector environments, these attributes do not have the prefix "single_".
        single = "single_" if hasattr(envs, "single_observation_space") else ""
        self.observation_space = getattr(envs, f"{single}observation_space")
        self.action_space = getattr(envs, f"{single}action_space")
        self.unwrapped = self

    @property
    def metadata(self) -> dict[str, Any]:
        """Return the metadata of the vector environment."""
        return self.envs.metadata

    @property
    def spec(self) -> EnvSpec | None:
        """Return the spec of the vector environment."""
        return self.envs.spec

    @property
    def render_mode(self) -> str | None:
        """Return the render mode of the vector environment."""
        return self.envs.render_mode

    @property
    def np_random(self) -> Any:
        """Return the environment's random number generator, or a tuple of the generators of all environments."""
        return self._select(self.envs.np_random)

    @property
    def np_random_seed(self) -> Any:
        """Return the environment's seed, or a tuple of the seeds of all environments."""
        return self._select(self.envs.np_random_seed)

    def _select(self, values: Any) -> Any:
        return values[self.index] if isinstance(values, tuple) and self.index is not None else values

    def render(self) -> Any:
        """Return the environment's frame, or an array of the frames of all environments."""
        frames = self.envs.render()
        if self.index is None or frames is None:
            return frames if frames is None else np.stack(frames)
        return frames[self.index]

    def reset(self, *, seed: Any = None, options: Any = None) -> NoReturn:
        """Raise a TypeError, because a single environment cannot be reset through the view.

        Args:
            seed: ignored.
            options: ignored.
        """
        raise TypeError(_refusal("reset"))

    def step(self, action: Any) -> NoReturn:
        """Raise a TypeError, because a single environment cannot be stepped through the view.

        Args:
            action: ignored.
        """
        raise TypeError(_refusal("step"))

    def close(self) -> None:
        """Do nothing, because a single environment cannot be closed through the view."""


def _refusal(method: str) -> str:
    return f"a vectorized wrapper cannot call {method}; define observation, action or reward, and on_reset"


def batch_axes(env: Any) -> tuple[int, ...]:
    """Return `(num_envs,)` if a wrapper receives batches, or `()` if it receives the values of one environment.

    Args:
        env: the environment that was passed to the wrapper's constructor.
    """
    return (env.envs.num_envs,) if isinstance(env, EnvView) and env.index is None else ()


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
        return ops.batch(self.each[0].observation_space, self.seen)

    def action(self, actions: Any, where: Where) -> Any:
        """Transform the actions that `where` selects. The other environments repeat their previous actions."""
        items = list(ops.iterate(self.actions, actions))
        for i in self._indices(where):
            self.taken[i] = self.each[i].action(items[i])
        inner = self.envs.single_action_space
        return ops.batch(inner, [inner.sample() if action is None else action for action in self.taken])

    def reward(self, rewards: Any, where: Where) -> Any:
        """Transform the rewards that `where` selects, and return all rewards as a new batch."""
        changed, each = np.array(rewards), self.each
        for i in self._indices(where):
            changed[i] = each[i].reward(rewards[i])
        return changed
