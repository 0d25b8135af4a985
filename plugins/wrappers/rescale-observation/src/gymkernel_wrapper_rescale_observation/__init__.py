"""`RescaleObservation`: observations between other bounds."""

from __future__ import annotations

from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gymkernel.protocols import ActType, EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_util_wrappers.rescale_box import rescale_box
from gymkernel_util_wrappers.space_checks import require_box

__all__ = ["RescaleObservation"]


class RescaleObservation(ObservationWrapper[NDArray[Any], ActType, NDArray[Any]], RecordConstructorArgs):
    """Map observations of a `Box` onto other bounds, each number by a straight line.

    Args:
        min_obs: the lower bounds: a number, or an array of the shape of observations; `-inf` exactly where the old
            ones are.
        max_obs: the upper bounds: likewise, with `inf`.

    Raises:
        TypeError: the observation space is no Box, or a bound no number.
        ValueError: bounds that are crossed, NaN, of another shape, or infinite where the old ones are finite.

    >>> from gymkernel import Env
    >>> from gymkernel.spaces import Box
    >>> class Still(Env):
    ...     observation_space = Box(0.0, 10.0, (2,))
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.array([2.5, 10.0], np.float32), {}
    >>> env = RescaleObservation(Still(), -1.0, 1.0)
    >>> env.observation_space, env.reset()[0]
    (Box(-1.0, 1.0, (2,), float32), array([-0.5,  1. ], dtype=float32))
    """

    batched = True

    def __init__(self, env: EnvLike[Any, ActType], min_obs: ArrayLike, max_obs: ArrayLike) -> None:
        ObservationWrapper.__init__(self, env)
        require_box(env.observation_space, "RescaleObservation")
        space, forward, _ = rescale_box(env.observation_space, min_obs, max_obs)
        RecordConstructorArgs.__init__(self, min_obs=_plain(min_obs), max_obs=_plain(max_obs))
        self.observation_space = space
        self._forward = forward
        self._direct = type(self).observation is RescaleObservation.observation

    def step(self, action: ActType) -> tuple[NDArray[Any], SupportsFloat, bool, bool, dict[str, Any]]:
        """Act once; the observation comes between the new bounds."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        change = self._forward if self._direct else self.observation  # a call less, and faster by a name of its own
        return change(observation), reward, terminated, truncated, info

    def observation(self, observation: NDArray[Any]) -> NDArray[Any]:
        """The observation, or a batch of them, between the new bounds."""
        return self._forward(observation)

    func = property(lambda self: self.observation, doc="The same as `observation`.")


def _plain(bound: Any) -> Any:
    """As JSON has it."""
    return np.asarray(bound).tolist()
