"""The `RescaleAction` wrapper, which rescales actions from new bounds to the original bounds."""

from __future__ import annotations

from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gymkernel.error import InvalidBound
from gymkernel.protocols import EnvLike, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ActionWrapper
from gymkernel_util_wrappers.checks import require_box
from gymkernel_util_wrappers.env_view import batch_axes
from gymkernel_util_wrappers.rescale_box import rescale_box

__all__ = ["RescaleAction"]


class RescaleAction(ActionWrapper[ObsType, NDArray[Any], NDArray[Any]], RecordConstructorArgs):
    """A wrapper that accepts actions within new bounds and rescales them linearly to the original bounds.

    Args:
        min_action: the new lower bound, which is a number or an array with the shape of the action space. It must be
            infinite where the original bound is infinite, and finite elsewhere.
        max_action: the new upper bound, to which the same rules apply.

    Raises:
        TypeError: if the action space is not a Box or a bound is not a number.
        ValueError: if a bound has the wrong shape, if a lower bound is greater than the upper bound, or if a bound is
            finite where the original bound is infinite.
        InvalidBound: if a lower bound equals the upper bound, so that actions cannot be rescaled.

    >>> from gymkernel import Env
    >>> from gymkernel.spaces import Box
    >>> class Robot(Env):
    ...     action_space = Box(0.0, 10.0, (1,))
    >>> env = RescaleAction(Robot(), -1.0, 1.0)
    >>> env.action(np.zeros(1, np.float32))
    array([5.], dtype=float32)
    """

    batched = True

    def __init__(self, env: EnvLike[ObsType, NDArray[Any]], min_action: ArrayLike, max_action: ArrayLike) -> None:
        ActionWrapper.__init__(self, env)
        inner: Any = env.action_space
        require_box(inner, "RescaleAction", "action")
        space, _, backward = rescale_box(inner, min_action, max_action)
        if np.any(space.low == space.high):
            message = f"RescaleAction expects min_action < max_action everywhere, got {min_action!r} and {max_action!r}"
            raise InvalidBound(message)
        RecordConstructorArgs.__init__(self, min_action=_to_json(min_action), max_action=_to_json(max_action))
        self.action_space = space
        self._backward = backward
        self._column = (-1, *[1] * len(inner.shape)) if batch_axes(env) and inner.shape else None
        self._direct = type(self).action is RescaleAction.action

    def step(self, action: NDArray[Any]) -> tuple[ObsType, SupportsFloat, bool, bool, dict[str, Any]]:
        """Step the environment with the rescaled action."""
        change = self._backward if self._direct else self.action  # avoids calling `action`
        return self.env.step(change(action))

    def action(self, action: NDArray[Any]) -> NDArray[Any]:
        """Rescale an action or a batch of actions. In a batch, an action may also be a single number."""
        if self._column and (action.ndim if isinstance(action, np.ndarray) else np.ndim(action)) == 1:
            action = np.reshape(action, self._column)
        return self._backward(action)

    func = property(lambda self: self.action, doc="An alias of `action`.")


def _to_json(bound: Any) -> Any:
    """Convert a bound to a value that JSON can represent."""
    return bound.tolist() if isinstance(bound, np.ndarray | np.generic) else bound
