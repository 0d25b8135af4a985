"""The `ClipAction` wrapper, which clips actions to the bounds of their space."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import maximum, minimum  # imported by name because this saves an attribute lookup per step
from numpy.typing import NDArray

from gymkernel.protocols import EnvLike, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ActionWrapper
from gymkernel_space_box import Box
from gymkernel_util_wrappers.checks import require_box
from gymkernel_util_wrappers.env_view import batch_axes

__all__ = ["ClipAction"]


class ClipAction(ActionWrapper[ObsType, NDArray[Any], NDArray[Any]], RecordConstructorArgs):
    """A wrapper that accepts unbounded actions and clips them to the bounds of the action space, which is a `Box`.

    Raises:
        TypeError: if the action space is not a Box.

    >>> from gymkernel import Env
    >>> class Robot(Env):
    ...     action_space = Box(0.0, 1.0, (3,))
    >>> env = ClipAction(Robot())
    >>> env.action(np.array([-3.0, 0.5, 3.0]))
    array([0. , 0.5, 1. ])
    >>> env.action_space
    Box(-inf, inf, (3,), float32)
    """

    batched = True

    def __init__(self, env: EnvLike[ObsType, NDArray[Any]]) -> None:
        ActionWrapper.__init__(self, env)
        inner: Any = env.action_space
        require_box(inner, "ClipAction", "action")
        self.action_space = Box(-np.inf, np.inf, inner.shape, inner.dtype)
        self._inner = inner
        self._is_ours = isinstance(inner, Box)
        self._column = (-1, *[1] * len(inner.shape)) if batch_axes(env) and inner.shape else None

    def action(self, action: NDArray[Any]) -> NDArray[Any]:
        """Clip an action or a batch of actions. In a batch, an action may also be a single number."""
        if self._column and (action.ndim if isinstance(action, np.ndarray) else np.ndim(action)) == 1:
            action = np.reshape(action, self._column)
        bounds = self._inner.intervals if self._is_ours else self._inner
        clipped: NDArray[Any] = minimum(maximum(action, bounds.low), bounds.high)
        return clipped

    func = property(lambda self: self.action, doc="An alias of `action`.")
