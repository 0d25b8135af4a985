"""The `KernelEnvironment` class, a dm_env environment that wraps a gymkernel environment and converts its spaces."""

from __future__ import annotations

from typing import Any

import dm_env
import numpy as np
from dm_env import specs

from gymkernel_space_box import Box
from gymkernel_space_dict import Dict
from gymkernel_space_discrete import Discrete
from gymkernel_space_multi_binary import MultiBinary
from gymkernel_space_multi_discrete import MultiDiscrete
from gymkernel_space_text import Text
from gymkernel_space_tuple import Tuple

__all__ = ["KernelEnvironment", "action_of", "observation_of", "spec_of", "to_dm_env"]


class KernelEnvironment(dm_env.Environment):  # type: ignore[misc,unused-ignore]
    """A dm_env environment that wraps a gymkernel environment.

    The last step of a terminated episode has the discount 0. All other steps have the discount 1, or `info["discount"]`
    if the environment provides it, as environments from `from_dm_env` do. In particular, a truncated episode does not
    end with the discount 0, because its last state can still have a nonzero value.

    Args:
        env: a gymkernel environment.
        seed: the seed of the first reset, or None.

    Raises:
        TypeError: if dm_env has no spec for one of the spaces.
    """

    def __init__(self, env: Any, seed: int | None = None) -> None:
        self.gymkernel_env = env
        """The wrapped environment."""
        self._seed = seed
        self._observation_spec = spec_of(env.observation_space, "observation")
        self._action_spec = spec_of(env.action_space, "action")
        self._needs_reset = True

    def reset(self) -> dm_env.TimeStep:
        """Start a new episode, and return its first time step."""
        observation, _ = self.gymkernel_env.reset(seed=self._seed)
        self._seed, self._needs_reset = None, False
        return dm_env.restart(self._observation(observation))

    def step(self, action: Any) -> dm_env.TimeStep:
        """Perform one action. If no episode is in progress, start a new episode instead.

        Args:
            action: a value that conforms to the action spec. It is ignored if a new episode is started.
        """
        if self._needs_reset:
            return self.reset()
        action = action_of(self.gymkernel_env.action_space, action)
        observation, reward, terminated, truncated, info = self.gymkernel_env.step(action)
        self._needs_reset = bool(terminated or truncated)
        observation, reward = self._observation(observation), float(reward)
        if terminated:
            return dm_env.termination(reward, observation)
        discount = float(info.get("discount", 1.0))
        make = dm_env.truncation if truncated else dm_env.transition
        return make(reward, observation, discount)

    def observation_spec(self) -> Any:
        """Return the observation spec, which is a nested structure of specs if the observation space is nested."""
        return self._observation_spec

    def action_spec(self) -> Any:
        """Return the action spec, which is a nested structure of specs if the action space is nested."""
        return self._action_spec

    def close(self) -> None:
        """Close the wrapped environment."""
        self.gymkernel_env.close()

    def _observation(self, observation: Any) -> Any:
        return observation_of(self.gymkernel_env.observation_space, observation)


def to_dm_env(env: Any, seed: int | None = None) -> KernelEnvironment:
    """Convert a gymkernel environment to a dm_env environment.

    Args:
        env: a gymkernel environment, with or without wrappers.
        seed: the seed of the first reset, or None.

    Raises:
        TypeError: if dm_env has no spec for one of the spaces.
    """
    return KernelEnvironment(env, seed)


def spec_of(space: Any, name: str | None = None) -> Any:
    """Convert a gymkernel space to a dm_env spec, or a nested space to a nested structure of specs.

    Args:
        space: a Box, Discrete, MultiBinary, MultiDiscrete or Text, or a Dict or Tuple of such spaces.
        name: the name of the spec. Inside a Dict, each spec is named after its key.

    Raises:
        TypeError: if dm_env has no spec for the space.

    >>> spec_of(Discrete(3, start=1)).maximum
    array(3)
    """
    if isinstance(space, Dict):
        return {key: spec_of(part, str(key)) for key, part in space.spaces.items()}
    if isinstance(space, Tuple):
        return tuple(spec_of(part, name) for part in space.spaces)
    return _array(space, name)


def _array(space: Any, name: str | None) -> specs.Array:
    """Return the spec for a space that is neither a Dict nor a Tuple."""
    if isinstance(space, Text):
        return specs.StringArray((), name=name)
    if isinstance(space, Discrete) and space.start == 0:
        return specs.DiscreteArray(int(space.n), space.dtype, name)
    if isinstance(space, Box) and np.isneginf(space.low).all() and np.isposinf(space.high).all():
        return specs.Array(space.shape, space.dtype, name)
    return specs.BoundedArray(space.shape, space.dtype, *_bounds(space), name)


def _bounds(space: Any) -> tuple[Any, Any]:
    """Return the lower and the upper bound of a space."""
    if isinstance(space, Discrete):
        return space.start, space.start + space.n - 1
    if isinstance(space, MultiDiscrete):
        return space.start, (space.start + space.nvec - 1).astype(space.dtype)
    if isinstance(space, MultiBinary):
        return 0, 1
    if isinstance(space, Box):
        return space.low, space.high
    raise TypeError(f"dm_env has no spec for {space}; flatten the space with FlattenObservation, or transform it")


def observation_of(space: Any, element: Any) -> Any:
    """Convert an observation from a gymkernel space to a value that conforms to the corresponding dm_env spec.

    Args:
        space: the observation space.
        element: the observation.
    """
    if isinstance(space, Dict):
        return {key: observation_of(part, element[key]) for key, part in space.spaces.items()}
    if isinstance(space, Tuple):
        return tuple(observation_of(part, item) for part, item in zip(space.spaces, element, strict=True))
    return np.array(element, object) if isinstance(space, Text) else np.asarray(element, space.dtype)


def action_of(space: Any, value: Any) -> Any:
    """Convert an action that conforms to a dm_env spec to an element of the corresponding gymkernel space.

    Args:
        space: the action space.
        value: the action, which may contain Python numbers instead of arrays.
    """
    if isinstance(space, Dict):
        return {key: action_of(part, value[key]) for key, part in space.spaces.items()}
    if isinstance(space, Tuple):
        return tuple(action_of(part, item) for part, item in zip(space.spaces, value, strict=True))
    if isinstance(space, Text):
        return str(np.asarray(value, object).item())
    array = np.asarray(value, space.dtype)
    return array[()] if isinstance(space, Discrete) else array
