"""The `TransformAction` wrapper, which applies a function to actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, SupportsFloat

from gymkernel.protocols import ActType, EnvLike, ObsType, WrapperActType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ActionWrapper

if TYPE_CHECKING:
    from gymkernel.space import Space

__all__ = ["TransformAction"]


class TransformAction(ActionWrapper[ObsType, WrapperActType, ActType], RecordConstructorArgs):
    """A wrapper that applies a function to each action.

    Args:
        func: a function that takes an element of `action_space` and returns an action for the wrapped environment.
        action_space: the space of the actions that are passed to `func`, or None to keep the original space.

    Raises:
        TypeError: if `func` is not callable.

    >>> from gymkernel import Env
    >>> class Echo(Env):
    ...     def step(self, action):
    ...         return action, 0.0, False, False, {}
    >>> TransformAction(Echo(), lambda action: action + 1, None).step(4)[0]
    5
    """

    def __init__(
        self,
        env: EnvLike[ObsType, ActType],
        func: Callable[[WrapperActType], ActType],
        action_space: Space[WrapperActType] | None,
    ) -> None:
        if not callable(func):
            raise TypeError(f"TransformAction expects func to be a function of the action, got {func!r}")
        RecordConstructorArgs.__init__(self, func=func, action_space=action_space)
        ActionWrapper.__init__(self, env)
        if action_space is not None:
            self.action_space = action_space
        self.func = func
        self._direct = type(self).action is TransformAction.action

    def step(self, action: WrapperActType) -> tuple[ObsType, SupportsFloat, bool, bool, dict[str, Any]]:
        """Step the environment with the transformed action."""
        change = self.func if self._direct else self.action  # avoids calling `action`
        return self.env.step(change(action))

    def action(self, action: WrapperActType) -> ActType:
        """Apply the function to an action."""
        func = self.func  # a local variable is faster
        return func(action)
