"""Vector environments as Stable-Baselines3 wants them, with the returns of episodes in its logs."""

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
"""What Stable-Baselines3 expects of a backend, and what costs no second request per episode."""


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
    """Make a vector environment for Stable-Baselines3.

    Args:
        env_id: an id of gymkernel's, "gymnasium/..." for one of Gymnasium's, or a spec.
        num_envs: number of environments.
        backend: "async", "sync" or another installed backend. None takes the environment's own vectorised form
            ("vector_entry_point") if it has one that can reset single environments and no `vector_kwargs` or
            `wrappers` are given, and "sync" otherwise.
        seed: of the first environment at the first reset; the others follow by one.
        vector_kwargs: for the backend; the autoreset mode is "SameStep" unless another one is given here.
        wrappers: called on every environment, in order.
        monitor: whether `VecMonitor` goes around it, so that `ep_rew_mean` and `ep_len_mean` are in the logs. It is
            left out where the environments have a `Monitor` already.
        **kwargs: for every environment.

    Returns:
        An `SB3VecEnv`, in a `VecMonitor` unless that is left out.
    """
    envs = _make(env_id, num_envs, backend, vector_kwargs, wrappers, kwargs)
    try:
        made = sb3_vec_env(envs, monitor=monitor)
    except BaseException:
        envs.close()
        raise
    if seed is not None:
        made.seed(seed)
    return made


def sb3_vec_env(envs: Any, *, monitor: bool = True) -> VecEnv:
    """Return a vector environment of gymkernel's as a `VecEnv`.

    Args:
        envs: the vector environment.
        monitor: whether `VecMonitor` goes around it, unless the environments have a `Monitor` already.
    """
    made = SB3VecEnv(envs)
    if not monitor or any(made.env_is_wrapped(Monitor)):
        return made
    monitored = VecMonitor(made)
    monitored.metadata = made.metadata  # with the speed, which `VecVideoRecorder` reads
    return monitored


def _make(
    env_id: Any,
    num_envs: int,
    backend: str | None,
    vector_kwargs: dict[str, Any] | None,
    wrappers: Sequence[Callable[[Any], Any]] | None,
    kwargs: dict[str, Any],
) -> Any:
    """Make the vector environment inside."""
    if backend is None and not (vector_kwargs or wrappers):
        with suppress(error.Error):  # there is no such form, or "sync" raises the same error
            envs = make_vec(env_id, num_envs, OWN_FORM, **kwargs)
            if not without_masks(envs):
                return envs
            envs.close()
    if backend != OWN_FORM:
        vector_kwargs = {**SAME_STEP, **(vector_kwargs or {})}
    return make_vec(env_id, num_envs, backend or "sync", vector_kwargs, wrappers, **kwargs)
