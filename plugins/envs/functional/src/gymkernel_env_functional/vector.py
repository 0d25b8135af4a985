"""The class `FunctionalVectorEnv`, which turns a `FuncEnv` into a vector environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gymkernel import logger
from gymkernel.error import InvalidAction, ResetNeeded
from gymkernel.infos import batch_infos
from gymkernel.ops import batch_space, iterate
from gymkernel.utils import seeding
from gymkernel.vector_env import AutoresetMode, VectorEnv, check_mask, reset_mask, seeds
from gymkernel_env_functional.rows import BatchedRows, LoopedRows
from gymkernel_env_functional.single import render_mode_of
from gymkernel_util_vector.episodes import EpisodeBoundaries

if TYPE_CHECKING:
    from gymkernel.protocols import Info, Mask, Options, Seed
    from gymkernel.specs import EnvSpec
    from gymkernel_env_functional.func_env import FuncEnv
    from gymkernel_env_functional.rows import Indexes, Rows

__all__ = ["FunctionalVectorEnv"]


class FunctionalVectorEnv(VectorEnv[Any, Any, NDArray[Any]]):
    """A vector environment whose environments share the functions of a `FuncEnv`.

    Each environment has its own random number generator and behaves like a `FunctionalEnv`. If the `FuncEnv` is
    `batched`, its functions are called once for all states. Otherwise, its functions are called once for each state.

    Attributes:
        func_env: the functions that define the environments.
        state: the states of the environments, or None before the first reset. If `func_env` is batched, the states are
            a batch: an array with a batch axis, or a nested tuple or dictionary of such arrays. Otherwise, the states
            are a list.

    The arguments and exceptions are the same as for `FunctionalEnv`, with three additional arguments.

    Args:
        num_envs: the number of environments.
        max_episode_steps: the number of steps after which an episode is truncated. 0, -1 or None means no limit.
        autoreset_mode: the mode that determines when the next episode of an environment starts.

    Raises:
        ValueError: if `num_envs` is not a positive integer.
        UnsupportedMode: if `metadata` does not contain the render mode.

    >>> from gymkernel_env_functional import PendulumFunctional
    >>> envs = FunctionalVectorEnv(PendulumFunctional(), 3, max_episode_steps=200)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations.shape, envs.state.shape
    ((3, 3), (3, 2))
    """

    def __init__(
        self,
        func_env: FuncEnv[Any, Any, Any, Any, Any, Any, Any],
        num_envs: int = 1,
        max_episode_steps: int | None = 0,
        metadata: dict[str, Any] | None = None,
        render_mode: str | None = None,
        spec: EnvSpec | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        params: Any = None,
    ) -> None:
        if isinstance(num_envs, bool) or not hasattr(num_envs, "__index__") or num_envs < 1:
            raise ValueError(f"Expected num_envs to be an integer of at least 1, got {num_envs!r}")
        self.func_env, self.num_envs = func_env, int(num_envs)
        self.max_episode_steps = None if max_episode_steps in {0, -1, None} else max_episode_steps
        self._episodes = EpisodeBoundaries(self.num_envs, autoreset_mode)
        self.autoreset_mode = self._episodes.mode
        metadata, self.render_mode = render_mode_of(func_env, metadata, render_mode)
        self.metadata = {**metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space, self.single_action_space = func_env.observation_space, func_env.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.spec = spec
        self.steps = np.zeros(num_envs, np.int64)
        self._params: dict[str, Any] = {} if params is None else {"params": params}
        kind = BatchedRows if func_env.batched else LoopedRows
        self._rows: Rows = kind(func_env, num_envs, self._params)
        self._generators: list[tuple[np.random.Generator, int]] | None = None
        self._everyone: Indexes = np.arange(num_envs)
        self._render_state: Any = None

    @property
    def state(self) -> Any:
        """Return the states of the environments, or None before the first reset."""
        return self._rows.state

    @state.setter
    def state(self, value: Any) -> None:
        self._rows.state = value

    @property  # type: ignore[misc]
    def np_random(self) -> tuple[np.random.Generator, ...]:  # type: ignore[override]
        """Return the random number generators of the environments."""
        return tuple(generator for generator, _ in self._all_generators())

    @property
    def np_random_seed(self) -> tuple[int, ...]:  # type: ignore[override]
        """Return the seeds of the environments."""
        return tuple(seed for _, seed in self._all_generators())

    def _all_generators(self) -> list[tuple[np.random.Generator, int]]:
        if self._generators is None:
            self._generators = [seeding.np_random() for _ in range(self.num_envs)]
            self._rows.generators = [generator for generator, _ in self._generators]
        return self._generators

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[Any, Info]:
        """Reset every environment, or only the environments that `options["reset_mask"]` selects.

        Raises:
            ResetNeeded: if the first reset does not reset all environments.
        """
        env_seeds = seeds(seed, self.num_envs)
        mask, _ = reset_mask(options, self.num_envs)
        starting = self._everyone if mask is None else mask.nonzero()[0]
        if self.state is None and starting.size < self.num_envs:
            raise ResetNeeded("Expected the first reset to reset all environments; call reset without reset_mask")
        generators = self._all_generators()
        for i in starting.tolist():
            if (own_seed := env_seeds[i]) is not None:
                generators[i] = seeding.np_random(own_seed)
                self._rows.generators[i] = generators[i][0]
        infos = self._begin(starting)
        self._episodes.finish_reset(options)
        return self._rows.observations(), batch_infos(infos, self.num_envs)

    def step(self, actions: Any) -> tuple[Any, NDArray[np.float64], Mask, Mask, Info]:
        """Step every environment. In NEXT_STEP mode, environments whose episodes have ended are reset instead.

        Raises:
            InvalidAction: if `actions` does not contain exactly one action for each environment.
            ResetNeeded: if the environments have not been reset yet, or, in DISABLED mode, if the episode of an
                environment has ended.
        """
        return self._step(self._check_actions(actions), None)

    def step_masked(self, actions: Any, mask: Mask) -> tuple[Any, NDArray[np.float64], Mask, Mask, Info]:
        """Step the environments that the mask selects. All others return their last observation and the reward 0."""
        check_mask(mask, self.num_envs)
        return self._step(self._check_actions(actions), mask)

    def _step(self, chosen: Any, mask: Mask | None) -> tuple[Any, NDArray[np.float64], Mask, Mask, Info]:
        """Step the environments that the mask selects. If the mask is None, step all environments."""
        if self.state is None:
            raise ResetNeeded("step was called before reset; call reset first to get the initial observations")
        self._episodes.check_ready(mask)
        began, where = self._episodes.plan_step(mask)
        acting = self._everyone[where]
        rewards, terminated = np.zeros(self.num_envs), np.zeros(self.num_envs, np.bool_)
        truncated = np.zeros(self.num_envs, np.bool_)
        rewards[acting], terminated[acting], infos = self._rows.act(acting, chosen)
        self.steps[acting] += 1
        if began is not None:
            infos += self._begin(began.nonzero()[0])
        if self.max_episode_steps is not None:
            truncated[acting] = self.steps[acting] >= self.max_episode_steps
        _, restarted = self._episodes.finish_step(terminated, truncated, mask)
        if restarted is not None:
            infos = self._begin_at_once(dict(infos), restarted.nonzero()[0])
        batch = batch_infos(sorted(infos, key=_index), self.num_envs)
        return self._rows.observations(), rewards, terminated, truncated, batch

    def _begin(self, where: Indexes) -> list[tuple[int, dict[str, Any]]]:
        """Start episodes in the given environments, and return their infos."""
        self.steps[where] = 0
        return self._rows.begin(where)

    def _begin_at_once(self, infos: dict[int, dict[str, Any]], done: Indexes) -> list[tuple[int, dict[str, Any]]]:
        """Start the next episodes in the given environments, and store the results of the final step in the infos."""
        final = {i: {"final_obs": self._rows.observation(i), "final_info": infos.get(i, {})} for i in done.tolist()}
        started = dict(self._begin(done))
        return list((infos | {i: last | started.get(i, {}) | last for i, last in final.items()}).items())

    def _check_actions(self, actions: Any) -> list[Any] | NDArray[Any]:
        try:
            chosen = np.asarray(actions) if self.func_env.batched else list(iterate(self.action_space, actions))
        except (TypeError, ValueError):
            chosen = []
        if len(np.shape(chosen)) == 0 or len(chosen) != self.num_envs:
            raise InvalidAction(f"Expected {self.num_envs} actions from {self.single_action_space}, got {actions!r}")
        return chosen

    def render(self) -> tuple[Any, ...] | None:
        """Render every environment, and return a uint8 array of shape (height, width, 3) for each."""
        if self.render_mode is None:
            logger.warn('render does nothing without a render_mode; pass render_mode="rgb_array"')
            return None
        if self.state is None:
            raise ResetNeeded("render was called before reset; there is no state to draw yet")
        if self._render_state is None:
            self._render_state = self.func_env.render_init(**self._params)
        images = []
        for state in self._rows.states():
            self._render_state, image = self.func_env.render_image(state, self._render_state, **self._params)
            images.append(image)
        return tuple(images)

    def close_extras(self, **kwargs: Any) -> None:
        """Release the resources of the render state."""
        if self._render_state is not None:
            self.func_env.render_close(self._render_state, **self._params)
            self._render_state = None


def _index(info: tuple[int, Any]) -> int:
    return info[0]
