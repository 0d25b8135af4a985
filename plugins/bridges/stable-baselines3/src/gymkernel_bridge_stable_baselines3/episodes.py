"""Functions that convert steps in which episodes end to Stable-Baselines3's format.

In this format, the observation belongs to the next episode, and the info contains the final observation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import gymnasium
import numpy as np

from gymkernel.infos import info_of
from gymkernel.vector_env import VectorEnv
from gymkernel_bridge_gymnasium.outward import KernelVectorEnv

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MODES", "Step", "same_step", "with_masked_resets", "without_masks"]

MODES = ("SameStep", "NextStep", "Disabled")


class Step(NamedTuple):
    """The results of stepping all environments once, in Stable-Baselines3's format."""

    observations: Any
    """The observations. Where an episode has ended, this is the first observation of the next episode."""
    infos: list[dict[str, Any]]
    """The info of each environment. Where an episode has ended, the info contains "terminal_observation"."""
    resets: dict[int, dict[str, Any]]
    """The infos returned by resets, keyed by the environment's index."""


def same_step(observations: Any, done: NDArray[np.bool_], infos: dict[str, Any]) -> Step:
    """Convert a step in SAME_STEP mode, in which infos contain "final_obs" and "final_info".

    Args:
        observations: the batch of observations that the step returned.
        done: a mask of the environments whose episodes ended, of shape (num_envs,).
        infos: the batched infos that the step returned.
    """
    each = [info_of(infos, i) for i in range(len(done))] if infos else [{} for _ in done]
    resets = {}
    for i in np.flatnonzero(done).tolist():
        resets[i] = {key: value for key, value in each[i].items() if key not in {"final_obs", "final_info"}}
        each[i] = {**each[i].get("final_info", {}), "terminal_observation": infos["final_obs"][i]}
    return Step(observations, each, resets)


def with_masked_resets(env: Any, observations: Any, done: NDArray[np.bool_], infos: dict[str, Any]) -> Step:
    """Convert a step in any other mode by using a reset mask to immediately reset the environments that are done.

    Args:
        env: the vector environment.
        observations: the batch of observations that the step returned.
        done: a mask of the environments whose episodes ended, of shape (num_envs,).
        infos: the batched infos that the step returned.
    """
    each = [info_of(infos, i) for i in range(len(done))] if infos else [{} for _ in done]
    if not done.any():
        return Step(observations, each, {})
    ended = np.flatnonzero(done).tolist()
    for i in ended:
        each[i]["terminal_observation"] = _row(observations, i)
    observations, reset_infos = env.reset(options={"reset_mask": done})
    return Step(observations, each, {i: info_of(reset_infos, i) for i in ended})


def _row(observations: Any, i: int) -> Any:
    """Return a copy of one environment's observation."""
    if isinstance(observations, dict):
        return {key: _row(value, i) for key, value in observations.items()}
    return np.array(observations[i])


def without_masks(env: Any) -> bool:
    """Return whether a vector environment ignores reset masks, as Gymnasium's natively vectorised environments do."""
    inside = getattr(env.unwrapped, "gymnasium_env", env).unwrapped
    known = (VectorEnv, KernelVectorEnv, gymnasium.vector.SyncVectorEnv, gymnasium.vector.AsyncVectorEnv)
    return isinstance(inside, gymnasium.vector.VectorEnv) and not isinstance(inside, known)
