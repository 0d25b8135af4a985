"""`TransformAction` for vector environments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gymkernel import logger
from gymkernel.ops import batch_space
from gymkernel.protocols import ActType, ArrayType, ObsType, WrapperActType
from gymkernel.vector_wrapper import VectorActionWrapper

if TYPE_CHECKING:
    from gymkernel.space import Space
    from gymkernel.vector_env import VectorEnv

__all__ = ["TransformAction"]


class TransformAction(VectorActionWrapper[ObsType, WrapperActType, ActType, ArrayType]):
    """Act with what a function makes of the batch of actions.

    For a function of one action there is `VectorizeTransformAction(env, TransformAction, func=..., action_space=...)`.

    Args:
        func: gets the batch of actions, and returns the one for the environments inside.
        action_space: the space of batches before `func`; None for the batch of `single_action_space`.
        single_action_space: the space of one action before `func`; None where it stays the same.

    Raises:
        TypeError: `func` cannot be called.

    Warns:
        UserWarning: `action_space` is not the batch of `single_action_space`.
    """

    def __init__(
        self,
        env: VectorEnv[ObsType, ActType, ArrayType],
        func: Callable[[WrapperActType], ActType],
        action_space: Space[WrapperActType] | None = None,
        single_action_space: Space[WrapperActType] | None = None,
    ) -> None:
        if not callable(func):
            raise TypeError(f"TransformAction expects a function of the batch of actions, got {func!r}")
        super().__init__(env)
        if single_action_space is not None:
            self.single_action_space = single_action_space
            self.action_space = batch_space(single_action_space, self.num_envs)
        if action_space is not None:
            self.action_space = action_space
            expected = batch_space(self.single_action_space, self.num_envs)
            if action_space != expected:
                logger.warn(
                    f"TransformAction got the action_space {action_space}, which is not the batch of its "
                    f"single_action_space, {expected}; pass single_action_space alone, it is batched",
                    stacklevel=2,
                )
        self.func = func

    def actions(self, actions: WrapperActType) -> ActType:
        """What the function makes of the batch of actions."""
        func = self.func  # faster by a name of its own
        return func(actions)
