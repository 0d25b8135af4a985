"""The class `FunctionalVectorEnv`, which turns a `FuncEnv` into a vector environment."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import logger
from gymkernel.error import InvalidAction, ResetNeeded
from gymkernel.infos import batch_infos
from gymkernel.ops import iterate
from gymkernel.utils import seeding
from gymkernel.vector_env import AutoresetMode
from gymkernel_env_functional.rows import BatchedRows, LoopedRows
from gymkernel_env_functional.single import render_mode_of
from gymkernel_util_vector.native import NativeVectorEnv

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel.protocols import Mask
    from gymkernel.specs import EnvSpec
    from gymkernel_env_functional.func_env import FuncEnv
    from gymkernel_env_functional.rows import Infos
    from gymkernel_util_vector.native import Indexes

__all__ = ["FunctionalVectorEnv"]


class FunctionalVectorEnv(NativeVectorEnv[Any, Any]):
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
        spaces = func_env.observation_space, func_env.action_space
        metadata, self.render_mode = render_mode_of(func_env, metadata, render_mode)
        self._initialize(num_envs, max_episode_steps or None, autoreset_mode, spaces, metadata)
        self.func_env, self.spec = func_env, spec
        self._params: dict[str, Any] = {} if params is None else {"params": params}
        self._rows = (BatchedRows if func_env.batched else LoopedRows)(func_env, num_envs, self._params)
        self._generators: list[tuple[np.random.Generator, int]] | None = None
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

    def _seed(self, starting: Indexes, env_seeds: list[int | None]) -> None:
        if self.state is None and starting.size < self.num_envs:
            raise ResetNeeded("Expected the first reset to reset all environments; call reset without reset_mask")
        generators = self._all_generators()
        for i in starting.tolist():
            if (own_seed := env_seeds[i]) is not None:
                generators[i] = seeding.np_random(own_seed)
                self._rows.generators[i] = generators[i][0]

    def parse_actions(self, actions: Any) -> NDArray[Any]:
        """Check a batch of actions, and convert it to an array with one action for each environment."""
        if self.state is None:
            raise ResetNeeded("step was called before reset; call reset first to get the initial observations")
        try:
            batched = self.func_env.batched
            chosen = np.asarray(actions) if batched else np.fromiter(iterate(self.action_space, actions), object)
        except (TypeError, ValueError):
            chosen = np.empty(0)
        if chosen.shape[:1] != (self.num_envs,):
            raise InvalidAction(f"Expected {self.num_envs} actions from {self.single_action_space}, got {actions!r}")
        return chosen

    def _begin(self, starting: Indexes) -> Infos:
        return self._rows.begin(starting)

    def _act(self, chosen: NDArray[Any], acting: Indexes | None) -> tuple[NDArray[np.float64], Mask, Infos]:
        return self._rows.act(self._everyone if acting is None else acting, chosen)

    def _observations(self) -> Any:
        return self._rows.observations()

    def _batch_infos(self, parts: list[tuple[Indexes, Infos]]) -> dict[str, Any]:
        return batch_infos(sorted((info for _, infos in parts for info in infos), key=itemgetter(0)), self.num_envs)

    def _begin_at_once(self, acting: Indexes, ended: Mask, infos: Infos) -> dict[str, Any]:
        done, before = acting[ended], dict(infos)
        final = {i: {"final_obs": self._rows.observation(i), "final_info": before.get(i, {})} for i in done.tolist()}
        self.steps[done] = 0
        started = dict(self._begin(done))
        merged = before | {i: last | started.get(i, {}) | last for i, last in final.items()}
        return self._batch_infos([(acting, list(merged.items()))])

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
