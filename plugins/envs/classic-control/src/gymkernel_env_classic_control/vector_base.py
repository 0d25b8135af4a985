"""The base class of the vector environments, which handles seeds, resets, time limits and rendering."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from gymkernel import logger
from gymkernel.error import ResetNeeded, UnsupportedMode
from gymkernel.infos import batch_infos
from gymkernel.protocols import Info, Mask, Options, Seed
from gymkernel.utils import seeding
from gymkernel.vector_env import AutoresetMode, reset_mask, seeds
from gymkernel_env_classic_control.utils import check_state
from gymkernel_util_vector.native import NativeVectorEnv, Step

if TYPE_CHECKING:
    from gymkernel.space import Space
    from gymkernel_env_classic_control.drawing import Renderer

__all__ = ["ClassicVectorEnv", "StepArrays", "Where"]

Where = NDArray[np.intp]
StepArrays = tuple[NDArray[np.float64], NDArray[np.float32], NDArray[Any], Mask, Mask]
NOBODY = np.empty(0, np.intp)


class ClassicVectorEnv(NativeVectorEnv[NDArray[np.float32], NDArray[Any]]):
    """A base class for the vector environments.

    The state is an array with a row for each component and a column for each environment. Every environment has its own
    random number generator and behaves like a single environment with the same seed. The options of a reset apply only
    to that reset, and automatic resets use the default bounds. `CartPoleVectorEnv` handles seeds and options
    differently.

    A subclass defines `_start`, `parse_actions`, `_move` and `_observe`, and has a second base class that provides the
    constants and the renderer. A compiled version overrides `parse_actions` and `advance`, which together compute a
    whole step.

    Args:
        num_envs: the number of environments.
        max_episode_steps: the number of steps after which an episode is truncated. None or -1 means no limit.
        render_mode: "rgb_array" or None.
        autoreset_mode: the mode that determines when the next episode of an environment starts.

    Raises:
        ValueError: if `num_envs` or `max_episode_steps` is not a positive integer.
        UnsupportedMode: if the render mode is not supported.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - VectorEnv declares it without ClassVar
        "render_modes": ["rgb_array"],
        "render_fps": 30,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }
    parts: ClassVar[tuple[str, ...]]
    new_renderer: Callable[[], Renderer]
    reset_bounds: Callable[[Mapping[str, Any] | None], tuple[Any, Any]]
    low: Any
    high: Any
    step_type = np.int32

    def _prepare(
        self,
        num_envs: int,
        max_episode_steps: int | None,
        render_mode: str | None,
        autoreset_mode: AutoresetMode | str,
        spaces: tuple[Space[Any], Space[Any]],
    ) -> None:
        """Set the attributes that all environments share. `spaces` are the spaces of a single environment."""
        if render_mode not in {None, "rgb_array"}:
            raise UnsupportedMode(
                f"Expected render_mode to be 'rgb_array' or None, got {render_mode!r}; "
                "vectorization_mode='sync' supports the render modes of the single environment"
            )
        self._initialize(num_envs, max_episode_steps, autoreset_mode, spaces, self.metadata)
        self.render_mode = render_mode
        self.low, self.high = self.reset_bounds(None)
        self._mask: Mask | None = None
        """A mask of the environments that the current step advances, or None for all environments."""
        self._state: NDArray[np.float64] | None = None
        self._generators: list[np.random.Generator] | None = None
        self._seeds: list[int] = []
        self._renderer: Renderer | None = None

    def _start(self, generator: np.random.Generator) -> Any:
        """Sample an initial state between `low` and `high` in the same way as the single environment."""
        raise NotImplementedError

    def _move(self, state: NDArray[np.float64], actions: Any) -> tuple[NDArray[np.float64], NDArray[Any], Mask]:
        """Return the state after a step as a new array, the rewards, and a mask of the episodes that end."""
        raise NotImplementedError

    def _observe(self, state: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the observations of the environments as a new array."""
        return state.T.astype(np.float32)

    def observe_first(self, state: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the observations of initial states. A subclass that overrides this must also override `advance`."""
        return self._observe(state)

    @property
    def state(self) -> NDArray[np.float64] | None:
        """The state, with a row for each component and a column for each environment, or None before the first reset.

        The next step starts from this array, so writing to the array changes the states.
        """
        return self._state

    @state.setter
    def state(self, value: Any) -> None:
        self._set_state(value)

    def _set_state(self, value: Any) -> None:
        self._state = check_state(value, (len(self.parts), self.num_envs), self.parts)

    @property
    def np_random(self) -> Any:
        """The random number generators of the environments. A CartPoleVectorEnv with a single seed has only one."""
        return super().np_random if self._generators is None else tuple(self._generators)

    @np_random.setter
    def np_random(self, value: Any) -> None:
        if isinstance(value, np.random.Generator):
            self._generators, self._np_random, self._np_random_seed = None, value, -1
        else:
            self._generators, self._seeds = list(value), [-1] * self.num_envs

    @property
    def np_random_seed(self) -> Any:
        """The seeds of the random number generators."""
        return super().np_random_seed if self._generators is None else tuple(self._seeds)

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[NDArray[np.float32], Info]:
        """Reset every environment, or only the environments that `options["reset_mask"]` selects.

        Raises:
            ValueError: if a single (non-vectorized) environment would reject an option.
        """
        mask, others = reset_mask(options, self.num_envs)
        low, high = self.reset_bounds(others)
        self._reseed(seed, mask)
        self.low, self.high = low, high
        if mask is None or self._state is None:
            self._state = np.zeros((len(self.parts), self.num_envs))
        self.begin(self._state, self._everyone if mask is None else np.flatnonzero(mask))
        self._forget_bounds()
        self._episodes.finish_reset(options)
        return self._last_observations(self._state), {}

    def _last_observations(self, state: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the most recent observations, which consist of zeros for environments that have not been reset yet."""
        observations, fresh = self._observe(state), self.steps == 0
        observations[fresh] = self.observe_first(state[:, fresh])
        observations[self._episodes.unstarted] = 0
        return observations

    def _forget_bounds(self) -> None:
        self.low, self.high = self.reset_bounds(None)

    def _reseed(self, seed: Seed, mask: Mask | None) -> None:
        """Seed the generators of the environments that the mask selects. The seed None leaves a generator unchanged."""
        env_seeds = seeds(seed, self.num_envs)
        if self._generators is None:
            made = [seeding.np_random() for _ in env_seeds]
        else:
            made = list(zip(self._generators, self._seeds, strict=True))
        for i in range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist():
            if env_seeds[i] is not None:
                made[i] = seeding.np_random(env_seeds[i])
        self._generators, self._seeds = [generator for generator, _ in made], [seed for _, seed in made]

    def begin(self, state: NDArray[np.float64], starting: Where) -> None:
        """Sample initial states, store the initial states in the given array, and set the step counts to 0."""
        state[:, starting] = self.draw_states(starting)
        self.steps[starting] = 0

    def draw_states(self, starting: Where) -> NDArray[np.float64]:
        """Sample an initial state for each environment in `starting`, and return the states as columns of an array."""
        columns = np.empty((len(self.parts), starting.size))
        for column, i in enumerate(starting.tolist()):
            columns[:, column] = self._start((self._generators or [])[i])
        return columns

    def _step(self, chosen: NDArray[Any], mask: Mask | None) -> Step:
        """Step all environments, and then undo the step in the environments that the mask, if any, does not select."""
        self._episodes.check_ready(mask)
        before: Any = self._state
        self._mask, began = mask, self._episodes.find_starting(mask)
        starting = NOBODY if began is None else began.nonzero()[0]
        if mask is None:
            results = self.advance(before, chosen, starting)
        else:
            rest = ~mask
            last_seen, memory = self._last_observations(before), [array.copy() for array in self._memory()]
            results = self.advance(before, chosen, starting)
            results[0][:, rest], results[1][rest] = before[:, rest], last_seen[rest]
            for array, old in zip(self._memory(), memory, strict=True):
                array[rest] = old[rest]
            for column in results[2:]:
                column[rest] = 0
        self._state, observations, rewards, terminated, truncated = results
        _, restarted = self._episodes.finish_step(terminated, truncated, mask)
        infos = {} if restarted is None else self._restart(results[0], observations, restarted.nonzero()[0])
        return observations, rewards, terminated, truncated, infos

    @property
    def _resting(self) -> Mask:
        """Return a mask of the environments that do not perform an action in the current step."""
        resting = np.ones(self.num_envs, np.bool_)
        resting[self._episodes.plan_step(self._mask)[1]] = False
        return resting

    def _memory(self) -> list[NDArray[Any]]:
        """Return all arrays that a step modifies, except the state. Each array has one element per environment."""
        return [self.steps]

    def advance(self, state: NDArray[np.float64], acts: Any, starting: Where) -> StepArrays:
        """Step every environment, and count the step.

        The environments in `starting` begin an episode instead.

        Args:
            state: the state before the step, which is not modified.
            acts: the result of `parse_actions`.
            starting: the indices of the environments that begin an episode.

        Returns:
            The state after the step, the observations, rewards, terminations and truncations, all as new arrays.
        """
        state, rewards, terminated = self._move(state, acts)
        self.steps += 1
        truncated = self.steps >= self.max_episode_steps
        if starting.size:
            self.begin(state, starting)
            rewards[starting], terminated[starting], truncated[starting] = 0.0, False, False
        return state, self._observe(state), rewards, terminated, truncated

    def _restart(self, state: NDArray[np.float64], observations: NDArray[np.float32], done: Where) -> dict[str, Any]:
        """Start the next episodes in the given environments, and store the results of the final step in the infos."""
        final = [(i, {"final_obs": observations[i].copy(), "final_info": {}}) for i in done.tolist()]
        self.begin(state, done)
        observations[done] = self.observe_first(state[:, done])
        return batch_infos(final, self.num_envs)

    def render(self) -> tuple[NDArray[np.uint8], ...] | None:
        """Render every environment, and return a uint8 array of shape (height, width, 3) for each.

        Raises:
            DependencyNotInstalled: if pygame-ce is not installed.
            ResetNeeded: if the environments have not been reset yet.
        """
        if self.render_mode is None:
            logger.warn('render does nothing without a render_mode; pass render_mode="rgb_array" to make_vec')
            return None
        if self._state is None:
            raise ResetNeeded("render was called before reset; there is no state to draw yet")
        if self._renderer is None:
            self._renderer = self.new_renderer()
        return tuple([self._renderer.picture(self, numbers) for numbers in self._picture_numbers(self._state)])

    def _picture_numbers(self, state: NDArray[np.float64]) -> Sequence[tuple[float, ...]]:
        """Return the numbers that determine each image."""
        return state.T.tolist()  # type: ignore[no-any-return]

    def close_extras(self, **kwargs: Any) -> None:
        """Close the renderer."""
        if self._renderer is not None:
            self._renderer.close()
            self._renderer = None
