"""The `SB3VecEnv` class, a Stable-Baselines3 `VecEnv` that wraps a gymkernel vector environment."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from gymkernel_bridge_gymnasium.conversion import to_gymnasium
from gymkernel_bridge_stable_baselines3.asking import attributes, call, set_attributes, wrapped
from gymkernel_bridge_stable_baselines3.episodes import MODES, same_step, with_masked_resets, without_masks

__all__ = ["SB3VecEnv", "refuse_others"]

SIMPLE = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)
"""The classes of spaces that Stable-Baselines3 supports, apart from `Dict`."""


class SB3VecEnv(VecEnv):  # type: ignore[misc,unused-ignore]
    """A Stable-Baselines3 `VecEnv` that wraps a gymkernel vector environment.

    The spaces are Gymnasium spaces, which Stable-Baselines3 requires. Whatever the autoreset mode, the next episode
    starts in the same step in which the previous one ends. In this step, `infos[i]["terminal_observation"]` and
    `infos[i]["TimeLimit.truncated"]` are set.

    Args:
        env: a gymkernel vector environment, with or without vector wrappers.

    Raises:
        TypeError: if the object is not a vector environment, or Stable-Baselines3 does not support its spaces.
        ValueError: if the metadata contain no autoreset mode, or if the vector environment cannot reset individual
            environments.
    """

    def __init__(self, env: Any) -> None:
        if isinstance(env, type) or not hasattr(env, "single_observation_space"):
            message = f"Expected a gymkernel vector environment (see gymkernel.make_vec), got {env!r}"
            raise TypeError(message)
        mode = env.metadata.get("autoreset_mode")
        self.autoreset_mode = getattr(mode, "value", mode)
        if self.autoreset_mode not in MODES:
            raise ValueError(f"{env} has no autoreset mode; set metadata['autoreset_mode'] to an AutoresetMode")
        if self.autoreset_mode != "SameStep" and without_masks(env):
            raise ValueError(
                f"{env} has the autoreset mode {self.autoreset_mode} and does not support reset masks, but "
                "Stable-Baselines3 expects the next episode to start in the same step; use a backend instead: "
                "vectorization_mode='sync' or 'async'"
            )
        self.env = env
        self._copies = not getattr(env.unwrapped, "copy", True)
        self._actions: Any = None
        self._pending = self._is_reset = False
        observation_space = _of_gymnasium(env.single_observation_space)
        action_space = _of_gymnasium(env.single_action_space)
        refuse_others(observation_space, action_space)
        super().__init__(env.num_envs, observation_space, action_space)
        for name, value in env.metadata.items():  # `VecVideoRecorder` reads the frame rate
            self.metadata.setdefault(name, value)

    def reset(self) -> Any:
        """Start an episode in every environment, with the seeds from `seed` and the options from `set_options`.

        The seeds and options are used only once.
        """
        if self._pending:
            self.step_wait()
        seeds, options = list(self._seeds), list(self._options)
        self._reset_seeds()
        self._reset_options()
        seed: Any = None if all(value is None for value in seeds) else seeds
        are_equal = all(value == options[0] for value in options)
        if are_equal or not self._is_reset:  # the first reset must include all environments
            self._is_reset = True
            observations, infos = self.env.reset(seed=seed, options=(are_equal and options[0]) or None)
        if are_equal:
            self.reset_infos = same_step(observations, np.zeros(self.num_envs, np.bool_), infos).infos
            return self._copy(observations)
        for i, env_options in enumerate(options):
            mask = np.arange(self.num_envs) == i
            observations, infos = self.env.reset(seed=seed, options={**env_options, "reset_mask": mask})
            self.reset_infos[i] = same_step(observations, np.zeros(self.num_envs, np.bool_), infos).infos[i]
        return self._copy(observations)

    def step_async(self, actions: Any) -> None:
        """Start a step. A backend with a `step_async` method starts immediately; others step in `step_wait`."""
        self._pending = True
        if hasattr(self.env, "step_async"):
            self.env.step_async(actions)
        else:
            self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Wait for the step to finish, and return observations, rewards (float32), dones and infos."""
        self._pending = False
        result = self.env.step_wait() if hasattr(self.env, "step_async") else self.env.step(self._actions)
        observations, rewards, terminations, truncations, infos = result
        done = np.asarray(terminations | truncations)
        if self.autoreset_mode == "SameStep":
            step = same_step(observations, done, infos)
        else:
            step = with_masked_resets(self.env, observations, done, infos)
        only_truncated = (truncations & ~terminations).tolist()
        for info, is_truncated in zip(step.infos, only_truncated, strict=True):
            info["TimeLimit.truncated"] = is_truncated
        for i, info in step.resets.items():
            self.reset_infos[i] = info
        return self._copy(step.observations), rewards.astype(np.float32), done, step.infos

    def _copy(self, observations: Any) -> Any:
        """Copy the observations if the next step would overwrite them."""
        return copy.deepcopy(observations) if self._copies else observations

    def close(self) -> None:
        """Close every environment."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute's value for each given environment. The attribute may belong to any wrapper.

        Args:
            attr_name: the attribute's name.
            indices: an index or a list of indices; None for all environments.
        """
        values = attributes(self.env, attr_name)
        return [values[i] for i in self._to_list(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of the given environments, on the wrapper or environment that has the attribute.

        Args:
            attr_name: the attribute's name.
            value: the value to set in each of the given environments.
            indices: an index or a list of indices; None for all environments.
        """
        set_attributes(self.env, attr_name, value, self._to_list(indices))

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method on the given environments, and return the results.

        Args:
            method_name: the method's name.
            *method_args: positional arguments for the method.
            indices: an index or a list of indices; None for all environments.
            **method_kwargs: keyword arguments for the method.
        """
        return call(self.env, self._to_list(indices), method_name, *method_args, **method_kwargs)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return whether each given environment is wrapped in an instance of the given class.

        For environments in other processes, only the names of the classes are compared.

        Args:
            wrapper_class: the wrapper class to look for.
            indices: an index or a list of indices; None for all environments.
        """
        values = wrapped(self.env, wrapper_class)
        return [values[i] for i in self._to_list(indices)]

    def get_images(self) -> Sequence[Any]:
        """Return a frame for each environment, or None for each environment if the render mode is not "rgb_array"."""
        if self.render_mode != "rgb_array":
            message = f"Rendering images requires render_mode='rgb_array', got {self.render_mode!r}"
            warnings.warn(message, stacklevel=2)
            return [None] * self.num_envs
        return list(self.env.render())

    def _to_list(self, indices: Any) -> list[int]:
        chosen: Iterable[int] = range(self.num_envs) if indices is None else np.atleast_1d(indices).tolist()
        return [range(self.num_envs)[i] for i in chosen]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {self.env}>"


def _of_gymnasium(space: Any) -> Any:
    """Return a space unchanged if it is an instance of Gymnasium's classes, and otherwise convert it."""
    return space if isinstance(space, gymnasium.Space) else to_gymnasium(space)


def refuse_others(observation_space: Any, action_space: Any) -> None:
    """Raise a TypeError for spaces that no Stable-Baselines3 algorithm supports.

    Without this check, Stable-Baselines3 would raise its own errors far from their cause.

    Args:
        observation_space: the observation space of one environment.
        action_space: the action space of one environment.

    >>> refuse_others(spaces.Box(0, 1), spaces.Tuple([spaces.Discrete(2)]))
    Traceback (most recent call last):
    TypeError: Stable-Baselines3 supports the action spaces Box, Discrete, MultiDiscrete and MultiBinary, but not ...
    """
    if not isinstance(action_space, SIMPLE):
        raise TypeError(
            "Stable-Baselines3 supports the action spaces Box, Discrete, MultiDiscrete and MultiBinary, but not "
            f"{action_space}; wrap the environments in TransformAction, which changes the action space"
        )
    nested = isinstance(observation_space, spaces.Dict)
    parts = observation_space.spaces if nested else {"": observation_space}
    others = {key: part for key, part in parts.items() if not isinstance(part, SIMPLE)}
    for key, part in others.items():
        kept = [name for name in parts if name not in others]
        remedy = f"FilterObservation(env, {kept}), which removes the other parts, or in " if kept else ""
        raise TypeError(
            "Stable-Baselines3 supports the observation spaces Box, Discrete, MultiDiscrete and MultiBinary, or a Dict "
            f"of these, but not {part}{f' under {key!r}' if nested else ''}; wrap the environments in {remedy}"
            "FlattenObservation or TransformObservation"
        )
