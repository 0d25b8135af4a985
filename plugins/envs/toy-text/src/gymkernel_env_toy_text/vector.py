"""The base class of the toy text vector environments, which handles seeds, episodes, infos and rendering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gymkernel.error import InvalidAction, ResetNeeded, UnsupportedMode
from gymkernel.infos import batch_infos
from gymkernel_env_toy_text.streams import Streams
from gymkernel_util_vector.native import Indexes, NativeVectorEnv

if TYPE_CHECKING:
    from gymkernel.protocols import Mask
    from gymkernel.vector_env import AutoresetMode
    from gymkernel_env_toy_text.blackjack import BlackjackEnv
    from gymkernel_env_toy_text.tabular import TabularEnv

__all__ = ["Columns", "ToyVectorEnv"]

Columns = dict[str, NDArray[Any]]
"""The type of batched infos, in which each value is an array with one row for each environment."""


class ToyVectorEnv(NativeVectorEnv[Any, NDArray[np.integer[Any]]]):
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
        actions: Any = model.action_space
        metadata = {**model.metadata, "render_modes": modes}
        self._initialize(num_envs, max_episode_steps, autoreset_mode, (model.observation_space, actions), metadata)
        self.render_mode = model.render_mode
        self._model = model
        self._choices = int(actions.n)
        self._streams = Streams(num_envs)

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

    def _seed(self, starting: Indexes, env_seeds: list[int | None]) -> None:
        where = starting.tolist()
        self._streams.seed(where, [env_seeds[i] for i in where])

    def _begin_at_once(self, acting: Indexes, ended: Mask, infos: Columns) -> dict[str, Any]:
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

    def parse_actions(self, actions: ArrayLike) -> Indexes:
        """Check a batch of actions, and convert it to an array of integers."""
        chosen = np.asarray(actions)
        if chosen.shape == (self.num_envs,) and chosen.dtype.kind in "iub":
            indexes = chosen.astype(np.intp, copy=False)
            if indexes.view(np.uintp).max() < self._choices:  # as unsigned integers, negative integers are large
                return indexes
        if chosen.dtype.kind in self._other_kinds and (whole := _whole(chosen)) is not None:
            return self.parse_actions(whole)
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

    def _observation(self, i: int) -> Any:
        """Return the observation of one environment."""
        raise NotImplementedError

    def _render_one(self, i: int) -> Any:
        """Render one environment with the model, and return the image or the text."""
        raise NotImplementedError


def _whole(actions: NDArray[Any]) -> NDArray[np.intp] | None:
    """Convert an array of whole numbers of another dtype to integers. If a number is not whole, return None."""
    try:
        whole = actions.astype(np.intp)
    except (TypeError, ValueError, OverflowError):
        return None
    return whole if np.array_equal(whole, actions) else None
