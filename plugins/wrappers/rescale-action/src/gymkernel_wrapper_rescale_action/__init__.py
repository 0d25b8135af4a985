"""`RescaleAction`: actions of other bounds."""

from __future__ import annotations

from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gymkernel.error import InvalidBound
from gymkernel.protocols import EnvLike, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ActionWrapper
from gymkernel_util_wrappers.env_view import batch_axes
from gymkernel_util_wrappers.rescale_box import rescale_box
from gymkernel_util_wrappers.space_checks import require_box

__all__ = ["RescaleAction"]


class RescaleAction(ActionWrapper[ObsType, NDArray[Any], NDArray[Any]], RecordConstructorArgs):
    """Take actions between other bounds, and rescale them affinely to the environment's `Box`.

    Args:
        min_action: the lower bounds to take: a number, or an array of the shape of the action space. Where the space
            has no bound, this one must be infinite, too.
        max_action: the upper bounds.

    Raises:
        TypeError: the action space is no Box, or a bound is no number.
        ValueError: a bound has another shape, is above the other, or is finite where the space's is infinite.
        InvalidBound: `min_action` equals `max_action` somewhere, so that there is no way back.

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
        RecordConstructorArgs.__init__(self, min_action=_plain(min_action), max_action=_plain(max_action))
        self.action_space = space
        self._backward = backward
        self._column = (-1, *[1] * len(inner.shape)) if batch_axes(env) and inner.shape else None
        self._direct = type(self).action is RescaleAction.action

    def step(self, action: NDArray[Any]) -> tuple[ObsType, SupportsFloat, bool, bool, dict[str, Any]]:
        """Act once, with the action between the bounds of the environment."""
        change = self._backward if self._direct else self.action  # a call less, and faster by a name of its own
        return self.env.step(change(action))

    def action(self, action: NDArray[Any]) -> NDArray[Any]:
        """The action between the environment's bounds; environments stay in front, and one number each is enough."""
        if self._column and (action.ndim if isinstance(action, np.ndarray) else np.ndim(action)) == 1:
            action = np.reshape(action, self._column)
        return self._backward(action)

    func = property(lambda self: self.action, doc="The same as `action`.")


def _plain(bound: Any) -> Any:
    """A bound as JSON can hold it."""
    return bound.tolist() if isinstance(bound, np.ndarray | np.generic) else bound
