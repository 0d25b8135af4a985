"""The base class of the toy text vector environments, which handles seeds, episodes, infos and rendering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gymkernel.error import InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel.infos import batch_infos
from gymkernel.ops import batch_space
from gymkernel.protocols import Info, Mask, Options, Seed
from gymkernel.vector_env import AutoresetMode, VectorEnv, check_mask, reset_mask, seeds
from gymkernel_env_toy_text.streams import Streams
from gymkernel_util_vector.episodes import EpisodeBoundaries

if TYPE_CHECKING:
    from gymkernel_env_toy_text.blackjack import BlackjackEnv
    from gymkernel_env_toy_text.tabular import TabularEnv

__all__ = ["Columns", "Indexes", "ToyVectorEnv"]

_NOBODY = np.empty(0, np.intp)

Indexes = NDArray[np.intp]
Columns = dict[str, NDArray[Any]]
"""The type of batched infos, in which each value is an array with one row for each environment."""
Step = tuple[Any, NDArray[np.float64], Mask, Mask, dict[str, Any]]


class ToyVectorEnv(VectorEnv[Any, NDArray[np.integer[Any]], NDArray[Any]]):
    """A base class for the toy text vector environments.

    As in `SyncVectorEnv`, each environment has its own random number generator and goes through the same episodes as a
    single environment with the same seed. A single seed is expanded to seed, seed + 1, and so on. If an item in a
    sequence of seeds is None, the environment keeps its generator. `np_random` returns copies of the generators, but
    `call_masked` uses the original generators.

    Args:
        model: a single environment, which provides the spaces and renders the states of all environments.
        num_envs: the number of environments.
        max_episode_steps: the number of steps after which an episode is truncated. None or -1 means no limit.
        autoreset_mode: the mode that determines when the next episode of an environment starts.

    Raises:
        ValueError: if `num_envs` or `max_episode_steps` is not a positive integer.
        UnsupportedMode: if the render mode is "human", which can show only one environment.
    """

    _other_kinds: ClassVar[str] = "O"
    """The dtype kinds, other than integers, whose values are accepted as actions if the values are whole numbers."""

    def __init__(
        self,
        model: TabularEnv | BlackjackEnv,
        num_envs: int,
        max_episode_steps: int | None,
        autoreset_mode: AutoresetMode | str,
    ) -> None:
        modes = [mode for mode in model.metadata["render_modes"] if mode != "human"]
        if model.render_mode == "human":
            raise UnsupportedMode(f"Expected render_mode to be one of {', '.join(modes)}, or None, got 'human'")
        self.num_envs = _positive("num_envs", num_envs)
        if max_episode_steps in {None, -1}:
            max_episode_steps = np.iinfo(np.int64).max
        self.max_episode_steps = _positive("max_episode_steps", max_episode_steps)
        self._episodes = EpisodeBoundaries(num_envs, autoreset_mode)
        self.autoreset_mode = self._episodes.mode
        self.render_mode = model.render_mode
        self.metadata = {**model.metadata, "render_modes": modes, "autoreset_mode": self.autoreset_mode}
        actions: Any = model.action_space
        self.single_action_space, self.single_observation_space = actions, model.observation_space
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.steps = np.zeros(num_envs, np.int64)
        self._model = model
        self._choices = int(actions.n)
        self._streams = Streams(num_envs)
        self._everyone: Indexes = np.arange(num_envs)

    @property  # type: ignore[override]
    def np_random(self) -> tuple[np.random.Generator, ...]:
        """Return copies of the random number generators of the environments."""
        return self._streams.generators

    @np_random.setter  # type: ignore[override]
    def np_random(self, value: Sequence[np.random.Generator]) -> None:
        self._streams.generators = tuple(value)

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """Return the seed of each environment, or -1 for a generator that a program has assigned."""
        return self._streams.seeds

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[Any, Info]:
        """Reset every environment, or only the environments that `options["reset_mask"]` selects.

        Returns:
            The observations of all environments, which are 0 for environments that have never been reset, and the infos
            of the environments that this call has reset.
        """
        env_seeds = seeds(seed, self.num_envs)
        mask, _ = reset_mask(options, self.num_envs)
        starting = self._everyone if mask is None else mask.nonzero()[0]
        self._streams.seed(starting.tolist(), env_seeds if mask is None else [env_seeds[i] for i in starting])
        infos = self._begin(starting)
        self.steps[starting] = 0
        self._episodes.finish_reset(options)
        return self._observations(), self._batch_infos([(starting, infos)])

    def step(self, actions: ArrayLike) -> Step:
        """Step every environment. In NEXT_STEP mode, environments whose episodes have ended are reset instead.

        Raises:
            InvalidAction: if `actions` is not an array of `num_envs` valid integers.
            ResetNeeded: if the environments have not been reset yet, or, in DISABLED mode, if the episode of an
                environment has ended.
        """
        return self._step(self._check_actions(actions), None)

    def step_masked(self, actions: ArrayLike, mask: Mask) -> Step:
        """Step the environments that the mask selects. All others return their last observation and the reward 0."""
        check_mask(mask, self.num_envs)
        return self._step(self._check_actions(actions), mask)

    def _step(self, chosen: Indexes, mask: Mask | None) -> Step:
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
        begins: Columns = {}
        if starting.size:
            begins = self._begin(starting)
            self.steps[starting] = 0
        truncated = self.steps >= self.max_episode_steps
        if mask is not None:
            truncated &= mask
        _, restarted = self._episodes.finish_step(terminated, truncated, mask)
        if restarted is not None:
            batch = self._begin_at_once(acting, restarted[acting], infos)
        else:
            batch = self._batch_infos([(acting, infos), (starting, begins)])
        return self._observations(), rewards, terminated, truncated, batch

    def _begin_at_once(self, acting: Indexes, ended: Mask, infos: Columns) -> dict[str, Any]:
        """Start the next episodes in the given environments, and store the results of the final step in the infos."""
        done, going = acting[ended], acting[~ended]
        batch = batch_infos([(i, {"final_obs": self._observation(i)}) for i in done.tolist()], self.num_envs)
        batch["final_info"] = self._batch_infos([(done, {key: column[ended] for key, column in infos.items()})])
        batch["_final_info"] = batch["_final_obs"].copy()
        rest = {key: column[~ended] for key, column in infos.items()}
        self.steps[done] = 0
        return batch | self._batch_infos([(going, rest), (done, self._begin(done))])

    def call_masked(self, mask: Mask, name: str, *arguments: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of the random number generator of each environment that the mask selects.

        Wrappers use this method to generate random numbers. The arguments and results are the same as for a vector
        backend's `call_masked`. The name is, for example, "np_random.random".

        Raises:
            AttributeError: if the name does not refer to a method of `np_random`, because no other methods exist.
        """
        holder, _, method = name.partition(".")
        if holder != "np_random" or not hasattr(np.random.Generator, method):
            raise AttributeError(f"Expected a method of np_random, such as 'np_random.random', got {name!r}")
        (where,) = mask.nonzero()
        results: list[Any] = [None] * self.num_envs
        for i, result in zip(where.tolist(), self._streams.call(where, method, *arguments, **kwargs), strict=True):
            results[i] = result
        return tuple(results)

    def _batch_infos(self, parts: list[tuple[Indexes, Columns]]) -> dict[str, Any]:
        """Combine infos into a dictionary with an array and a mask for each key."""
        parts = [part for part in parts if part[0].size]
        batch: dict[str, Any] = {}
        for key in parts[0][1] if parts else ():
            columns = [columns[key] for _, columns in parts]
            if parts[0][0].size == self.num_envs:
                batch[key], batch[f"_{key}"] = columns[0], np.ones(self.num_envs, np.bool_)
                continue
            batch[key] = whole = np.zeros((self.num_envs, *columns[0].shape[1:]), np.result_type(*columns))
            batch[f"_{key}"] = mask = np.zeros(self.num_envs, np.bool_)
            for (where, _), column in zip(parts, columns, strict=True):
                whole[where], mask[where] = column, True
        return batch

    def _check_actions(self, actions: ArrayLike) -> Indexes:
        chosen = np.asarray(actions)
        if chosen.shape == (self.num_envs,) and chosen.dtype.kind in "iub":
            indexes = chosen.astype(np.intp, copy=False)
            if indexes.view(np.uintp).max() < self._choices:  # as unsigned integers, negative integers are large
                return indexes
        if chosen.dtype.kind in self._other_kinds and (whole := _whole(chosen)) is not None:
            return self._check_actions(whole)
        raise InvalidAction(
            f"Expected {self.num_envs} actions that are integers from 0 to {self._choices - 1}, got {actions!r}"
        )

    def render(self) -> tuple[Any, ...] | None:
        """Render every environment, and return uint8 arrays of shape (height, width, 3) or strings.

        Raises:
            DependencyNotInstalled: if the render mode requires pygame-ce, but it is not installed.
        """
        if self.render_mode is None:
            return self._model.render()  # type: ignore[return-value] # only warns
        if self._episodes.unstarted.any():
            missing = np.flatnonzero(self._episodes.unstarted).tolist()
            raise ResetNeeded(f"render was called before reset; environments {missing} have no state")
        return tuple([self._render_one(i) for i in range(self.num_envs)])

    def close_extras(self, **kwargs: Any) -> None:
        """Close the single environment that renders the states."""
        self._model.close()

    def _begin(self, starting: Indexes) -> Columns:
        """Start episodes in the given environments, and return the infos of these resets."""
        raise NotImplementedError

    def _act(self, chosen: Indexes, acting: Indexes | None) -> tuple[NDArray[np.float64], Mask, Columns]:
        """Step the given environments, or all if `acting` is None, and return the rewards, terminations and infos."""
        raise NotImplementedError

    def _observations(self) -> Any:
        """Return all observations as a new array."""
        raise NotImplementedError

    def _observation(self, i: int) -> Any:
        """Return the observation of one environment."""
        raise NotImplementedError

    def _render_one(self, i: int) -> Any:
        """Render one environment with the model, and return the image or the text."""
        raise NotImplementedError


def _positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 1:
        raise ValueError(f"Expected {name} to be an integer of at least 1, got {value!r}")
    return int(value)


def _whole(actions: NDArray[Any]) -> NDArray[np.intp] | None:
    """Convert an array of whole numbers of another dtype to integers. If a number is not whole, return None."""
    try:
        whole = actions.astype(np.intp)
    except (TypeError, ValueError, OverflowError):
        return None
    return whole if np.array_equal(whole, actions) else None
