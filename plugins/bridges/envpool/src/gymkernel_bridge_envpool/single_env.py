"""The `EnvPoolEnv` class, which makes an EnvPool environment available as a single gymkernel environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.env import Env
from gymkernel.error import ResetNeeded
from gymkernel.infos import info_of
from gymkernel_bridge_envpool.vector_env import EnvPoolVectorEnv
from gymkernel_wrapper_order_enforcing import OrderEnforcing
from gymkernel_wrapper_passive_env_checker import PassiveEnvChecker

if TYPE_CHECKING:
    from gymkernel.protocols import Info, Options

__all__ = ["EnvPoolEnv"]

REQUIRED_WRAPPERS = (PassiveEnvChecker, OrderEnforcing)
"""The wrappers that `gymkernel.make` adds to the environment. Importing them here ensures that they are installed."""


class EnvPoolEnv(Env[Any, Any]):
    """A single EnvPool environment, which is implemented as a pool with one environment.

    A reset with a seed creates a new pool, because EnvPool accepts seeds only when a pool is created.

    Args:
        task_id: an EnvPool id, such as "Pong-v5".
        render_mode: "rgb_array" or None.
        **options: other keyword arguments for `envpool.make`.

    >>> env = EnvPoolEnv("FrozenLake-v1")
    >>> observation, info = env.reset(seed=1)
    >>> observation, env.observation_space
    (np.int32(0), Discrete(16))
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012 - as in the base class

    def __init__(self, task_id: str, render_mode: str | None = None, **options: Any) -> None:
        options = {"num_threads": 1, **options}
        self.envs = EnvPoolVectorEnv(task_id, 1, render_mode=render_mode, **options)
        """The vector environment whose only environment this object steps."""
        self.render_mode = render_mode
        self.observation_space, self.action_space = self.envs.single_observation_space, self.envs.single_action_space
        self._is_done = True

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[Any, Info]:
        """Start a new episode. Options are ignored, because EnvPool has no reset options."""
        super().reset(seed=seed)
        observations, infos = self.envs.reset(seed=seed)
        self._is_done = False
        return _first(observations), info_of(infos, 0)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, Info]:
        """Perform one action.

        Raises:
            ResetNeeded: if the episode has ended, or if `reset` has not been called.
        """
        if self._is_done:
            raise ResetNeeded(f"Expected a call of reset before this step of {self}")
        observations, rewards, terminations, truncations, infos = self.envs.step(np.asarray(action)[None])
        terminated, truncated = bool(terminations[0]), bool(truncations[0])
        self._is_done = terminated or truncated
        return _first(observations), float(rewards[0]), terminated, truncated, info_of(infos, 0)

    def render(self) -> Any:
        """Return a frame, or None if the render mode is None."""
        frames = self.envs.render()
        return None if frames is None else frames[0]

    def close(self) -> None:
        """Close the pool and stop its threads."""
        self.envs.close()


def _first(observations: Any) -> Any:
    if isinstance(observations, dict):
        return {key: _first(part) for key, part in observations.items()}
    return observations[0]
