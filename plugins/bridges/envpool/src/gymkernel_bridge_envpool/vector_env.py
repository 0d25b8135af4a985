"""The `EnvPoolVectorEnv` class, which makes an EnvPool pool available as a gymkernel vector environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import Error, ResetNeeded, UnsupportedMode
from gymkernel.ops import batch_space
from gymkernel.vector_env import AutoresetMode, VectorEnv, check_mask, reset_mask, seeds
from gymkernel_bridge_envpool.infos import InfoLayout, put_rows
from gymkernel_bridge_envpool.pools import make_pool, make_spec, pool_seeds, spaces_of

if TYPE_CHECKING:
    from gymkernel.protocols import Info, Mask, Options, Seed

__all__ = ["EnvPoolVectorEnv"]


class EnvPoolVectorEnv(VectorEnv[Any, Any, Any]):
    """A vector environment that steps an EnvPool pool, whose environments run in C++ threads.

    The autoreset mode is NEXT_STEP: the step that ends an episode returns the final observation, and the next step
    ignores the action and resets the environment. The observations are the arrays that EnvPool creates in each step.
    They are not copied.

    EnvPool accepts seeds only when a pool is created. Therefore, the pool is created in the first reset, and each reset
    with a seed creates a new pool.

    If `batch_size` is less than `num_envs`, the pool is asynchronous: call `async_reset` once, and then `recv` and
    `send` in a loop. `recv` returns the results of the `batch_size` environments that finish first, and
    `infos["env_id"]` contains their indices.

    Args:
        task_id: an EnvPool id, such as "Pong-v5".
        num_envs: the number of environments.
        batch_size: the number of environments whose results `recv` returns; None for all environments.
        seed: the seed of environment 0 in the first reset (environment i uses seed + i), a sequence with one seed per
            environment, or None for random seeds.
        render_mode: "rgb_array" or None.
        **options: other keyword arguments for `envpool.make`, such as `num_threads`, `max_episode_steps`, or options of
            the environment.

    Raises:
        TypeError, ValueError: if EnvPool rejects an option.

    >>> envs = EnvPoolVectorEnv("CartPole-v1", 3, max_episode_steps=20)
    >>> observations, infos = envs.reset(seed=1)
    >>> observations.shape, infos["elapsed_step"], infos["_elapsed_step"]
    ((3, 4), array([0, 0, 0], dtype=int32), array([ True,  True,  True]))
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - as in the base class
        "render_modes": ["rgb_array"],
        "render_fps": 30,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        task_id: str,
        num_envs: int = 1,
        batch_size: int | None = None,
        seed: Seed = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if render_mode not in {None, "rgb_array"}:
            raise ValueError(f'Expected render_mode to be "rgb_array" or None, got {render_mode!r}')
        self.task_id, self.num_envs, self.render_mode = task_id, num_envs, render_mode
        self._options = options | ({} if render_mode is None else {"render_mode": render_mode})
        self._options |= {} if batch_size is None else {"batch_size": batch_size}
        pool_spec = make_spec(task_id, {**self._options, "num_envs": num_envs})
        self.config: dict[str, Any] = pool_spec.config._asdict()
        """The configuration of the pool, with keys such as "max_episode_steps" and "num_threads"."""
        self.batch_size = batch_size or num_envs
        self.single_observation_space, self.single_action_space = spaces_of(pool_spec)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._action_shape = self.action_space.shape or (num_envs,)
        self._single_action_shape = self._action_shape[1:]
        self._layout = InfoLayout(self.batch_size)
        self._first_seeds = seeds(seed, num_envs)
        self._pool: Any = None
        self._observations: Any = None

    @property
    def pool(self) -> Any:
        """The EnvPool object, which is created when it is first needed."""
        if self.closed:
            raise Error(f"{self} is closed; create a new vector environment")
        if self._pool is None:
            self._make_pool(self._first_seeds)
        return self._pool

    @property
    def is_async(self) -> bool:
        """Whether `recv` returns the results of only some of the environments at a time."""
        return self.batch_size < self.num_envs

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[Any, Info]:
        """Start an episode in every environment, or only in those that `options["reset_mask"]` selects.

        Args:
            seed: a single seed s, so that environment i uses s + i, or a sequence with one seed per environment. In
                both cases, a new pool is created. If None, the current pool and its random generators are used.
            options: only "reset_mask" is supported.

        Raises:
            UnsupportedMode: if the pool is asynchronous.
            ValueError: if a seed is combined with a reset mask, if the first reset has a reset mask, or if there are
                other options.
        """
        self._require_sync("reset", "async_reset")
        seed_of = seeds(seed, self.num_envs)
        mask, others = reset_mask(options, self.num_envs)
        if others:
            raise ValueError(f"EnvPool has no reset options except reset_mask, got {others!r}")
        has_seeds = any(value is not None for value in seed_of)
        if mask is not None and (has_seeds or self._observations is None):
            reason = "seed only some environments" if has_seeds else "omit environments from the first reset"
            raise ValueError(f"EnvPool cannot {reason}; call reset without reset_mask")
        if has_seeds:
            self._make_pool(seed_of)
        if mask is not None:
            observations, infos = self.pool.reset(np.flatnonzero(mask).astype(np.int32))
            self._observations = put_rows(self._observations, infos["env_id"], observations)
            return self._observations, self._layout.of_rows(infos, self.num_envs)
        self._observations, infos = self.pool.reset()
        return self._observations, self._layout.of_batch(infos)

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Info]:
        """Step every environment. An environment whose episode has ended is reset instead.

        Args:
            actions: an array with one action per environment. EnvPool does not check whether the actions are in the
                action space.

        Raises:
            ResetNeeded: if `reset` has not been called.
            UnsupportedMode: if the pool is asynchronous.
            ValueError: if the actions have the wrong shape, with which EnvPool would terminate the process.
        """
        if self._observations is None:
            self._require_sync("step", "send and recv")
            raise ResetNeeded(f"Expected a call of reset before the first step of {self}")
        self._pool.send(self._as_actions(actions, self._action_shape))
        self._observations, rewards, terminations, truncations, infos = self._pool.recv()
        return (
            self._observations,
            rewards.astype(np.float64),
            terminations,
            truncations,
            self._layout.of_batch(infos),
        )

    def step_masked(self, actions: Any, mask: Mask) -> tuple[Any, Any, Any, Any, Info]:
        """Step only the environments that the mask selects.

        Args:
            actions: the actions of all environments.
            mask: a bool array of shape (num_envs,).
        """
        if self._observations is None:
            raise ResetNeeded(f"Expected a call of reset before the first step of {self}")
        check_mask(mask, self.num_envs)
        n = self.num_envs
        rewards, terminations, truncations = np.zeros(n), np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        if not mask.any():
            return self._observations, rewards, terminations, truncations, {}
        chosen = self._as_actions(actions, self._action_shape)[mask]
        self._pool.send(chosen, np.flatnonzero(mask).astype(np.int32))
        observations, *values, infos = self._pool.recv()
        rows = infos["env_id"]
        self._observations = put_rows(self._observations, rows, observations)
        for batch, value in zip((rewards, terminations, truncations), values, strict=True):
            batch[rows] = value
        return self._observations, rewards, terminations, truncations, self._layout.of_rows(infos, n)

    def async_reset(self) -> None:
        """Start an episode in every environment without waiting. Later calls to `recv` return the observations."""
        self.pool.async_reset()

    def send(self, actions: Any, env_id: Any) -> None:
        """Send actions to some environments without waiting for the results.

        Args:
            actions: an array with one action for each environment in `env_id`, in the same order.
            env_id: the indices of the environments, such as `infos["env_id"]` from `recv`.

        Raises:
            ResetNeeded: if `async_reset` has not been called.
            ValueError: if the number of actions differs from the number of environments.
        """
        pool = self._pool
        if pool is None:
            raise ResetNeeded(f"Expected a call of async_reset before the first call of send of {self}")
        if (
            type(actions) is not np.ndarray
            or actions.shape[:1] != (len(env_id),)
            or actions.shape[1:] != self._single_action_shape
        ):
            actions = self._as_actions(actions, (len(env_id), *self._single_action_shape))
        pool.send(actions, env_id)

    def recv(self) -> tuple[Any, Any, Any, Any, Info]:
        """Wait until `batch_size` environments have finished a step or a reset, and return their results.

        Returns:
            The observations, rewards (float64), terminations, truncations and infos. Each array has `batch_size` rows,
            and `infos["env_id"]` contains the environments' indices.
        """
        observations, rewards, terminations, truncations, infos = self.pool.recv()
        return observations, rewards.astype(np.float64), terminations, truncations, self._layout.of_batch(infos)

    def render(self) -> tuple[Any, ...] | None:
        """Return a frame of every environment, or None if the render mode is None."""
        if self.render_mode is None:
            return None
        return tuple(self.pool.render(np.arange(self.num_envs, dtype=np.int32)))

    def close_extras(self, **kwargs: Any) -> None:
        """Close the pool and stop its threads."""
        pool, self._pool, self._observations = self._pool, None, None
        if pool is not None:
            pool.close()

    def _make_pool(self, seed_of: list[int | None]) -> None:
        if self._pool is not None:
            self._pool.close()
        self._pool = make_pool(self.task_id, pool_seeds(seed_of, self.np_random), self._options)

    def _require_sync(self, method: str, instead: str) -> None:
        if self.is_async:
            sizes = f"batch_size={self.batch_size} and num_envs={self.num_envs}"
            raise UnsupportedMode(f"{method} needs all environments, but the pool has {sizes}; use {instead}")

    def _as_actions(self, actions: Any, shape: tuple[int, ...]) -> Any:
        """Return the actions as an array. EnvPool would terminate the process if the shape were wrong."""
        if type(actions) is not np.ndarray:
            actions = np.asarray(actions)
        if actions.shape != shape:
            raise ValueError(f"Expected actions of shape {shape}, got {actions.shape}")
        return actions
