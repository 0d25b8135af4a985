"""The `TransformAction` wrapper for vector environments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gymkernel import logger
from gymkernel.ops import batch_space
from gymkernel.protocols import ActType, ArrayType, ObsType, VectorEnvLike, WrapperActType
from gymkernel.vector_wrapper import VectorActionWrapper

if TYPE_CHECKING:
    from gymkernel.space import Space

__all__ = ["TransformAction"]


class TransformAction(VectorActionWrapper[ObsType, WrapperActType, ActType, ArrayType]):
    """A vector wrapper that applies a function to each batch of actions.

    For a function that takes a single action, use `VectorizeTransformAction(env, TransformAction, func=...,
    action_space=...)`.

    Args:
        func: a function that takes a batch of actions and returns a batch of actions for the wrapped environments.
        action_space: the space of the batches that are passed to `func`. None means the batched `single_action_space`.
        single_action_space: the space of a single action before `func` is applied, or None to keep the original space.

    Raises:
        TypeError: if `func` is not callable.

    Warns:
        UserWarning: if `action_space` is not the batched `single_action_space`.

    >>> import numpy as np
    >>> import gymkernel as gym
    >>> envs = TransformAction(gym.make_vec("CartPole-v1", 2, "sync"), lambda actions: 1 - actions)  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> envs.step(np.array([0, 1]))[0].shape  # doctest: +SKIP
    (2, 4)
    """

    def __init__(
        self,
        env: VectorEnvLike[ObsType, ActType, ArrayType],
        func: Callable[[WrapperActType], ActType],
        action_space: Space[WrapperActType] | None = None,
        single_action_space: Space[WrapperActType] | None = None,
    ) -> None:
        if not callable(func):
            raise TypeError(f"TransformAction expects func to be a function of the batch of actions, got {func!r}")
        super().__init__(env)
        if single_action_space is not None:
            self.single_action_space = single_action_space
            self.action_space = batch_space(single_action_space, self.num_envs)
        if action_space is not None:
            self.action_space = action_space
            expected = batch_space(self.single_action_space, self.num_envs)
            if action_space != expected:
                logger.warn(
                    f"TransformAction got the action_space {action_space}, but {expected} is the single_action_space "
                    "batched over the environments; pass only single_action_space",
                    stacklevel=2,
                )
        self.func = func

    def actions(self, actions: WrapperActType) -> ActType:
        """Apply the function to a batch of actions."""
        func = self.func  # a local variable is faster
        return func(actions)
