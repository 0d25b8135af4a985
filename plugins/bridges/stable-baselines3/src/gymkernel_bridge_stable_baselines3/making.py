"""Functions that create vector environments for Stable-Baselines3, optionally with a monitor that logs returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from gymkernel import error
from gymkernel.making import make_vec
from gymkernel_bridge_stable_baselines3.episodes import without_masks
from gymkernel_bridge_stable_baselines3.vec_env import SB3VecEnv

__all__ = ["make_sb3_vec", "sb3_vec_env"]

OWN_FORM = "vector_entry_point"
SAME_STEP = {"autoreset_mode": "SameStep"}
"""The autoreset mode that Stable-Baselines3 expects. Other modes require an additional request per episode."""


def make_sb3_vec(
    env_id: Any,
    num_envs: int = 1,
    backend: str | None = None,
    seed: int | None = None,
    vector_kwargs: dict[str, Any] | None = None,
    wrappers: Sequence[Callable[[Any], Any]] | None = None,
    monitor: bool = True,
    **kwargs: Any,
) -> VecEnv:
    """Create a vector environment for Stable-Baselines3.

    Args:
        env_id: a gymkernel id, a Gymnasium id with the prefix "gymnasium/", or a spec.
        num_envs: the number of environments.
        backend: "async", "sync" or another installed backend. None uses the environment's own vector environment
            ("vector_entry_point") if that can reset individual environments and neither `vector_kwargs` nor `wrappers`
            is given. Otherwise, None means "sync".
        seed: the seed of environment 0 at the first reset, so that environment i uses `seed + i`; None for random
            seeds.
        vector_kwargs: keyword arguments for the backend. The default autoreset mode is "SameStep".
        wrappers: functions that are applied to every environment, in the given order.
        monitor: whether to add a `VecMonitor`, so that the logs contain `ep_rew_mean` and `ep_len_mean`. No monitor is
            added if the environments already have a `Monitor`.
        **kwargs: keyword arguments for every environment.

    Returns:
        An `SB3VecEnv`, wrapped in a `VecMonitor` if a monitor was added.
    """
    envs = _make(env_id, num_envs, backend, vector_kwargs, wrappers, kwargs)
    try:
        vec_env = sb3_vec_env(envs, monitor=monitor)
    except BaseException:
        envs.close()
        raise
    if seed is not None:
        vec_env.seed(seed)
    return vec_env


def sb3_vec_env(envs: Any, *, monitor: bool = True) -> VecEnv:
    """Convert a gymkernel vector environment to a `VecEnv`.

    Args:
        envs: a gymkernel vector environment, with or without vector wrappers.
        monitor: whether to add a `VecMonitor`, unless the environments already have a `Monitor`.
    """
    vec_env = SB3VecEnv(envs)
    if not monitor or any(vec_env.env_is_wrapped(Monitor)):
        return vec_env
    monitored = VecMonitor(vec_env)
    monitored.metadata = vec_env.metadata  # `VecVideoRecorder` reads the frame rate from the metadata
    return monitored


def _make(
    env_id: Any,
    num_envs: int,
    backend: str | None,
    vector_kwargs: dict[str, Any] | None,
    wrappers: Sequence[Callable[[Any], Any]] | None,
    kwargs: dict[str, Any],
) -> Any:
    if backend is None and not (vector_kwargs or wrappers):
        with suppress(error.Error):  # the environment has no vector environment, or "sync" will raise the same error
            envs = make_vec(env_id, num_envs, OWN_FORM, **kwargs)
            if not without_masks(envs):
                return envs
            envs.close()
    if backend != OWN_FORM:
        vector_kwargs = {**SAME_STEP, **(vector_kwargs or {})}
    return make_vec(env_id, num_envs, backend or "sync", vector_kwargs, wrappers, **kwargs)
