"""`SB3VecEnv`: a vector environment of gymkernel's as a `VecEnv`."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import gymnasium
import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from gymkernel_bridge_gymnasium.conversion import to_gymnasium
from gymkernel_bridge_stable_baselines3.asking import attributes, call, set_attributes, wrapped
from gymkernel_bridge_stable_baselines3.episodes import MODES, same_step, with_masked_resets, without_masks
from gymkernel_bridge_stable_baselines3.supported import refuse_others

__all__ = ["SB3VecEnv"]


class SB3VecEnv(VecEnv):  # type: ignore[misc,unused-ignore]
    """A vector environment of gymkernel's as one of Stable-Baselines3's.

    Its spaces are spaces of Gymnasium, which Stable-Baselines3 requires. Where an episode ends, the next one has begun
    in the same step, with `infos[i]["terminal_observation"]` and `infos[i]["TimeLimit.truncated"]`, in every autoreset
    mode.

    Args:
        env: the vector environment, with whatever vector wrappers it wears.

    Raises:
        TypeError: it is none, or Stable-Baselines3 has no use for its spaces.
        ValueError: the autoreset mode cannot be honoured.
    """

    def __init__(self, env: Any) -> None:
        if isinstance(env, type) or not hasattr(env, "single_observation_space"):
            message = f"SB3VecEnv takes a vector environment of gymkernel's (see gymkernel.make_vec), got {env!r}"
            raise TypeError(message)
        mode = env.metadata.get("autoreset_mode")
        self.autoreset_mode = getattr(mode, "value", mode)
        if self.autoreset_mode not in MODES:
            raise ValueError(f"{env} does not say when it resets; set metadata['autoreset_mode'] to an AutoresetMode")
        if self.autoreset_mode != "SameStep" and without_masks(env):
            raise ValueError(
                f"{env} resets in {self.autoreset_mode} and takes no reset mask, and Stable-Baselines3 expects the "
                "next episode in the same step; use a backend instead: vectorization_mode='sync' or 'async'"
            )
        self.env = env
        self._copies = not getattr(env.unwrapped, "copy", True)
        self._actions: Any = None
        self._pending = self._begun = False
        observation_space = _of_gymnasium(env.single_observation_space)
        action_space = _of_gymnasium(env.single_action_space)
        refuse_others(observation_space, action_space)
        super().__init__(env.num_envs, observation_space, action_space)
        for name, value in env.metadata.items():  # `VecVideoRecorder` reads the speed
            self.metadata.setdefault(name, value)

    def reset(self) -> Any:
        """Begin an episode everywhere, with the seeds of `seed` and the options of `set_options`, once."""
        if self._pending:
            self.step_wait()
        seeds, options = list(self._seeds), list(self._options)
        self._reset_seeds()
        self._reset_options()
        seed: Any = None if all(one is None for one in seeds) else seeds
        alike = all(one == options[0] for one in options)
        if alike or not self._begun:  # a reset of some comes after one of all
            self._begun = True
            observations, infos = self.env.reset(seed=seed, options=(alike and options[0]) or None)
        if alike:
            self.reset_infos = same_step(observations, np.zeros(self.num_envs, np.bool_), infos).infos
            return self._own(observations)
        for i, one in enumerate(options):
            mask = np.arange(self.num_envs) == i
            observations, infos = self.env.reset(seed=seed, options={**one, "reset_mask": mask})
            self.reset_infos[i] = same_step(observations, np.zeros(self.num_envs, np.bool_), infos).infos[i]
        return self._own(observations)

    def step_async(self, actions: Any) -> None:
        """Begin a step; a backend with `step_async` acts meanwhile."""
        self._pending = True
        if hasattr(self.env, "step_async"):
            self.env.step_async(actions)
        else:
            self._actions = actions

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """Return observations, rewards (float32), dones and infos."""
        self._pending = False
        result = self.env.step_wait() if hasattr(self.env, "step_async") else self.env.step(self._actions)
        observations, rewards, terminations, truncations, infos = result
        done = np.asarray(terminations | truncations)
        if self.autoreset_mode == "SameStep":
            step = same_step(observations, done, infos)
        else:
            step = with_masked_resets(self.env, observations, done, infos)
        cut = (truncations & ~terminations).tolist()
        for info, one in zip(step.infos, cut, strict=True):
            info["TimeLimit.truncated"] = one
        for i, info in step.resets.items():
            self.reset_infos[i] = info
        return self._own(step.observations), rewards.astype(np.float32), done, step.infos

    def _own(self, observations: Any) -> Any:
        """The observations in memory that the next step leaves alone."""
        return copy.deepcopy(observations) if self._copies else observations

    def close(self) -> None:
        """Close every environment."""
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of environments, through their wrappers."""
        found = attributes(self.env, attr_name)
        return [found[i] for i in self._chosen(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of environments, where it is: on a wrapper or the environment inside."""
        set_attributes(self.env, attr_name, value, self._chosen(indices))

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method of environments."""
        return call(self.env, self._chosen(indices), method_name, *method_args, **method_kwargs)

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Whether environments wear a wrapper; in another process it is known by the name of its class."""
        found = wrapped(self.env, wrapper_class)
        return [found[i] for i in self._chosen(indices)]

    def get_images(self) -> Sequence[Any]:
        """A picture of each environment, None where the render mode gives none."""
        if self.render_mode != "rgb_array":
            message = f"Pictures need render_mode='rgb_array', and it is {self.render_mode!r}"
            warnings.warn(message, stacklevel=2)
            return [None] * self.num_envs
        return list(self.env.render())

    def _chosen(self, indices: Any) -> list[int]:
        chosen: Iterable[int] = range(self.num_envs) if indices is None else np.atleast_1d(indices).tolist()
        return [range(self.num_envs)[i] for i in chosen]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {self.env}>"


def _of_gymnasium(space: Any) -> Any:
    """Return a space that is an instance of Gymnasium's classes: the space itself if it already is."""
    return space if isinstance(space, gymnasium.Space) else to_gymnasium(space)
