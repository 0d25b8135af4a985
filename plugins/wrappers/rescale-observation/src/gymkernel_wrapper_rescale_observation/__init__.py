"""The `RescaleObservation` wrapper, which rescales observations to new bounds."""

from __future__ import annotations

from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gymkernel.protocols import ActType, EnvLike
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_util_wrappers.checks import require_box
from gymkernel_util_wrappers.rescale_box import rescale_box

__all__ = ["RescaleObservation"]


class RescaleObservation(ObservationWrapper[NDArray[Any], ActType, NDArray[Any]], RecordConstructorArgs):
    """A wrapper that rescales `Box` observations linearly from their original bounds to new bounds.

    Args:
        min_obs: the new lower bound, which is a number or an array with the shape of the observations. It must be
            `-inf` where the original bound is `-inf`, and finite elsewhere.
        max_obs: the new upper bound, which is a number or an array with the shape of the observations. It must be `inf`
            where the original bound is `inf`, and finite elsewhere.

    Raises:
        TypeError: if the observation space is not a Box or a bound is not a number.
        ValueError: if a bound has the wrong shape or is NaN, if a lower bound is greater than the upper bound, or if a
            bound is infinite where the original bound is finite, or vice versa.

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
        RecordConstructorArgs.__init__(self, min_obs=_to_json(min_obs), max_obs=_to_json(max_obs))
        self.observation_space = space
        self._forward = forward
        self._direct = type(self).observation is RescaleObservation.observation

    def step(self, action: ActType) -> tuple[NDArray[Any], SupportsFloat, bool, bool, dict[str, Any]]:
        """Step the environment, and rescale the observation."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        change = self._forward if self._direct else self.observation  # avoids calling `observation`
        return change(observation), reward, terminated, truncated, info

    def observation(self, observation: NDArray[Any]) -> NDArray[Any]:
        """Rescale an observation or a batch of observations."""
        return self._forward(observation)

    func = property(lambda self: self.observation, doc="An alias of `observation`.")


def _to_json(bound: Any) -> Any:
    """Convert a bound to a value that JSON can represent."""
    return np.asarray(bound).tolist()
