"""The class `NativeVectorEnv`, a base class for vector environments that contain no single environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gymkernel.ops import batch_space
from gymkernel.protocols import ActType, Info, Mask, ObsType, Options, Seed
from gymkernel.vector_env import AutoresetMode, VectorEnv, check_mask, reset_mask, seeds
from gymkernel_util_vector.episodes import EpisodeBoundaries

if TYPE_CHECKING:
    from gymkernel.space import Space

__all__ = ["Indexes", "NativeVectorEnv", "Step", "positive"]

Indexes = NDArray[np.intp]
Step = tuple[Any, NDArray[Any], Mask, Mask, dict[str, Any]]
"""The results of a step: observations, rewards, terminations, truncations and infos."""

_NOBODY = np.empty(0, np.intp)


class NativeVectorEnv(VectorEnv[ObsType, ActType, NDArray[Any]]):
    """A base class for vector environments that step their environments with functions of arrays.

    The constructor of a subclass calls `_initialize`. A subclass defines `parse_actions`, `_seed`, `_begin`, `_act`,
    `_observations`, `_batch_infos` and `_begin_at_once`, or overrides `_step` and `reset`.

    Attributes:
        max_episode_steps: the number of steps after which an episode is truncated. If there is no limit, this is the
            largest value of `step_type`.
        autoreset_mode: the mode that determines when the next episode of an environment starts.
        steps: the number of steps in the current episode of each environment.
        step_type: the type of the elements of `steps`.
    """

    step_type: ClassVar[type[np.signedinteger[Any]]] = np.int64

    def __getattr__(self, name: str) -> Any:
        """Raise an error. If the attribute requires single environments, the message names a backend that has them."""
        hint = ""
        if name in {"call", "envs", "get_attr", "set_attr"}:
            hint = "; it contains no single environments, so pass vectorization_mode='sync' to make_vec"
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}", name=name, obj=self)

    def _initialize(
        self,
        num_envs: int,
        max_episode_steps: int | None,
        autoreset_mode: AutoresetMode | str,
        spaces: tuple[Space[Any], Space[Any]],
        metadata: dict[str, Any],
    ) -> None:
        """Set the attributes that all vector environments share.

        Args:
            num_envs: the number of environments.
            max_episode_steps: the number of steps after which an episode is truncated. None or -1 means no limit.
            autoreset_mode: the mode that determines when the next episode of an environment starts.
            spaces: the observation space and the action space of a single environment.
            metadata: the metadata without the autoreset mode.

        Raises:
            ValueError: if `num_envs` or `max_episode_steps` is not a positive integer, or if the mode does not exist.
        """
        self.num_envs = positive("num_envs", num_envs)
        limit = np.iinfo(self.step_type).max if max_episode_steps in {None, -1} else max_episode_steps
        self.max_episode_steps = positive("max_episode_steps", limit)
        self._episodes = EpisodeBoundaries(num_envs, autoreset_mode)
        self.autoreset_mode = self._episodes.mode
        self.metadata = {**metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space, self.single_action_space = spaces
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.steps = np.zeros(num_envs, self.step_type)
        self._everyone: Indexes = np.arange(num_envs)

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Reset every environment, or only the environments that `options["reset_mask"]` selects.

        Returns:
            The observations of all environments, and the infos of the environments that this call has reset.
        """
        env_seeds = seeds(seed, self.num_envs)
        mask, _ = reset_mask(options, self.num_envs)
        starting = self._everyone if mask is None else mask.nonzero()[0]
        self._seed(starting, env_seeds)
        infos = self._begin(starting)
        self.steps[starting] = 0
        self._episodes.finish_reset(options)
        return self._observations(), self._batch_infos([(starting, infos)])

    def step(self, actions: Any) -> Step:
        """Step every environment. In NEXT_STEP mode, environments whose episodes have ended are reset instead.

        Raises:
            InvalidAction: if `actions` does not contain a valid action for each environment.
            ResetNeeded: if the environments have not been reset yet, or, in DISABLED mode, if the episode of an
                environment has ended.
        """
        return self._step(self.parse_actions(actions), None)

    def step_masked(self, actions: Any, mask: Mask) -> Step:
        """Step the selected environments. All other environments return their last observation and the reward 0."""
        check_mask(mask, self.num_envs)
        return self._step(self.parse_actions(actions), mask)

    def _step(self, chosen: NDArray[Any], mask: Mask | None) -> Step:
        """Step the environments that the mask selects. If the mask is None, step all environments."""
        self._episodes.check_ready(mask)
        began, where = self._episodes.plan_step(mask)
        acting, starting = self._everyone, _NOBODY
        if where is ...:
            self.steps += 1
            rewards, terminated, infos = self._act(chosen, None)
        else:
            (acting,) = where.nonzero()
            if began is not None:
                (starting,) = began.nonzero()
            self.steps += where
            rewards, terminated = np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_)
            rewards[acting], terminated[acting], infos = self._act(chosen[acting], acting)
        parts = [(acting, infos)]
        if starting.size:
            parts.append((starting, self._begin(starting)))
            self.steps[starting] = 0
        truncated = self.steps >= self.max_episode_steps
        if mask is not None:
            truncated &= mask
        _, restarted = self._episodes.finish_step(terminated, truncated, mask)
        batch = self._batch_infos(parts) if restarted is None else self._begin_at_once(acting, restarted[acting], infos)
        return self._observations(), rewards, terminated, truncated, batch

    def parse_actions(self, actions: Any) -> NDArray[Any]:
        """Check a batch of actions, and convert it to an array with one element for each environment.

        Args:
            actions: the argument of `step`.

        Raises:
            InvalidAction: if `actions` does not contain a valid action for each environment.
        """
        raise NotImplementedError

    def _seed(self, starting: Indexes, env_seeds: list[int | None]) -> None:
        """Seed the given environments. The list contains a seed or None for every environment."""
        raise NotImplementedError

    def _begin(self, starting: Indexes) -> Any:
        """Start episodes in the given environments, and return the infos of these resets."""
        raise NotImplementedError

    def _act(self, chosen: NDArray[Any], acting: Indexes | None) -> tuple[NDArray[np.float64], Mask, Any]:
        """Step the given environments, or all if `acting` is None, and return the rewards, terminations and infos."""
        raise NotImplementedError

    def _observations(self) -> Any:
        """Return all observations as a new array."""
        raise NotImplementedError

    def _batch_infos(self, parts: list[tuple[Indexes, Any]]) -> dict[str, Any]:
        """Combine infos from `_begin` and `_act`, each with the indices of its environments, into one dictionary."""
        raise NotImplementedError

    def _begin_at_once(self, acting: Indexes, ended: Mask, infos: Any) -> dict[str, Any]:
        """Start the next episodes in SAME_STEP mode, and return the batched infos, which include the final results.

        Args:
            acting: the indices of the environments that performed an action.
            ended: a mask that selects the elements of `acting` whose episodes have ended.
            infos: the infos from `_act`.
        """
        raise NotImplementedError


def positive(name: str, value: Any) -> int:
    """Check that an argument is a positive integer, and return it as an int.

    Args:
        name: the name of the argument, for the error message.
        value: the argument.

    Raises:
        ValueError: if the argument is not a positive integer.
    """
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 1:
        raise ValueError(f"Expected {name} to be an integer of at least 1, got {value!r}")
    return int(value)
