"""`TransformAction`: a function of the action."""

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
    """Act with what a function makes of the action.

    Args:
        func: gets an action of `action_space`, and returns one of the environment inside.
        action_space: the space of actions before `func`; None where it stays the same.

    Raises:
        TypeError: `func` cannot be called.

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
            raise TypeError(f"TransformAction expects a function of the action, got {func!r}")
        RecordConstructorArgs.__init__(self, func=func, action_space=action_space)
        ActionWrapper.__init__(self, env)
        if action_space is not None:
            self.action_space = action_space
        self.func = func
        self._direct = type(self).action is TransformAction.action

    def step(self, action: WrapperActType) -> tuple[ObsType, SupportsFloat, bool, bool, dict[str, Any]]:
        """Act once, with what the function makes of the action."""
        change = self.func if self._direct else self.action  # a call less
        return self.env.step(change(action))

    def action(self, action: WrapperActType) -> ActType:
        """What the function makes of the action."""
        func = self.func  # faster by a name of its own
        return func(action)
