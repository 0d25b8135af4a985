"""The `TimeAwareObservation` wrapper, which adds the number of steps in the current episode to observations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import ops
from gymkernel.protocols import ActType, EnvLike, Where
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import ObservationWrapper
from gymkernel_space_box import Box
from gymkernel_space_dict import Dict
from gymkernel_space_tuple import Tuple
from gymkernel_util_wrappers.batch_flattener import batch_flattener
from gymkernel_util_wrappers.checks import parts_of
from gymkernel_util_wrappers.env_view import EnvView, batch_axes

if TYPE_CHECKING:
    from numpy.typing import NDArray


__all__ = ["TimeAwareObservation"]


class TimeAwareObservation(ObservationWrapper[Any, ActType, Any], RecordConstructorArgs):
    """A wrapper that adds the number of steps since the start of the episode to observations.

    If the number of steps in an episode is limited, a state that does not include the time is not Markov (Pardo et al.,
    "Time Limits in Reinforcement Learning", 2018). The time is added to a `Dict` observation under an additional key,
    and to a `Tuple` observation at the end. Any other observation becomes a dictionary with the keys "obs" and "time".

    Args:
        env: the wrapped environment. The step limit in its spec or in a `TimeLimit` wrapper is the upper bound of the
            time. Without a step limit, the time is unbounded.
        flatten: whether to flatten the resulting observation into a vector.
        normalize_time: whether to divide the time by the step limit, so that it is a float32 from 0 to 1. Otherwise, it
            is an int32 or, without a step limit, a float32, because integer spaces always have bounds.
        dict_time_key: the key of the time in `Dict` observations.

    Raises:
        ValueError: if `normalize_time` is set but there is no step limit, or if the key of the time is already used.

    >>> from gymkernel import Env
    >>> from gymkernel.envs.registration import EnvSpec
    >>> class Still(Env):
    ...     spec = EnvSpec("Still-v0", max_episode_steps=4)
    ...     observation_space = Box(-1.0, 1.0, (1,))
    ...
    ...     def reset(self, *, seed=None, options=None):
    ...         return np.zeros(1, np.float32), {}
    ...
    ...     def step(self, action):
    ...         return np.ones(1, np.float32), 0.0, False, False, {}
    >>> env = TimeAwareObservation(Still(), normalize_time=True)
    >>> env.reset()[0], env.step(0)[0]
    (array([0., 0.], dtype=float32), array([1.  , 0.25], dtype=float32))
    """

    batched = True

    def __init__(
        self,
        env: EnvLike[Any, ActType],
        flatten: bool = True,
        normalize_time: bool = False,
        *,
        dict_time_key: str = "time",
    ) -> None:
        ObservationWrapper.__init__(self, env)
        self.flatten, self.normalize_time = flatten, normalize_time
        self.max_timesteps: Any = _limit(env)
        if self.max_timesteps is None and normalize_time:
            raise ValueError(
                f"TimeAwareObservation expects an environment with a step limit for normalize_time=True, got {env} "
                "without a limit; wrap it in TimeLimit first, or register it with max_episode_steps"
            )
        self._several = batch_axes(env)
        bounded = self.max_timesteps is not None
        self._dtype = np.dtype(np.int32 if bounded else np.float32)
        self._clock = np.zeros(1, self._dtype)
        self.timesteps: Any = np.zeros(self._several, np.int32) if self._several else 0
        high: Any = self.max_timesteps if bounded else np.inf
        clock: Any = Box(0.0, 1.0) if normalize_time else Box(0, high, (1,), self._dtype)
        inner = env.observation_space
        parts = parts_of(inner)
        space: Any
        self._key: Any = dict_time_key
        if isinstance(parts, dict):
            if dict_time_key in parts:
                message = f"TimeAwareObservation expects an unused dict_time_key, got {dict_time_key!r} of {inner}"
                raise ValueError(message)
            space = Dict({dict_time_key: clock, **parts}, sort_keys=getattr(inner, "sort_keys", True))
        elif parts is not None:
            space, self._key = Tuple([*parts, clock]), len(parts)
        else:
            space, self._key = Dict(obs=inner, time=clock), None
        self.observation_space = ops.flatten_space(space) if flatten else space
        flatten_one = partial(ops.flatten.dispatch(type(space)), space)
        self._flatten: Any = batch_flattener(space, *self._several) if self._several else flatten_one

    def on_reset(self, where: Where = ...) -> None:
        """Reset the step count. The time of the first observation in an episode is 0."""
        if self._several:
            self.timesteps[where] = -1
        else:
            self.timesteps = -1

    def observation(self, observation: Any, where: Where = ...) -> Any:
        """Count a step, and add the time to an observation or a batch."""
        if self._several:
            self.timesteps[where] += 1
            clock = self.timesteps[:, None].astype(self._dtype)
        else:
            self.timesteps += 1
            clock = self._clock.copy()
            clock[0] = self.timesteps
        if self.normalize_time:
            clock = (clock / self.max_timesteps).astype(np.float32)
        timed = self._add_time(observation, clock)
        return self._flatten(timed) if self.flatten else timed

    def _add_time(self, observation: Any, clock: NDArray[Any]) -> Any:
        if self._key is None:
            return {"obs": observation, "time": clock}
        if isinstance(observation, dict):
            return {self._key: clock, **observation}
        return (*observation, clock)


def _limit(env: Any) -> int | None:
    """Return the step limit of an environment, or None if there is no limit."""
    spec = getattr(env, "spec", None)
    if spec is not None and spec.max_episode_steps is not None:
        return int(spec.max_episode_steps)
    layer = env.envs if isinstance(env, EnvView) else env
    while layer is not None:
        limit = getattr(layer, "_max_episode_steps", None)
        if limit is None and hasattr(layer, "num_envs") and hasattr(layer, "get_attr"):
            limit = _limit_inside(layer)
        if limit is not None:
            return int(limit)
        layer = getattr(layer, "env", None)
    return None


def _limit_inside(envs: Any) -> int | None:
    """Return the step limit of a vector environment, which must be the same for all of its environments."""
    try:
        limits = set(envs.get_attr("_max_episode_steps"))
    except AttributeError:
        return None
    if len(limits) > 1:
        raise ValueError(f"TimeAwareObservation expects the same step limit for all environments, got {sorted(limits)}")
    return int(limits.pop())
