"""The ends of episodes as Stable-Baselines3 wants them: the next one has begun, its last observation is in the info."""

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
    """One step of all environments."""

    observations: Any
    """Those of the next episodes, where one ended."""
    infos: list[dict[str, Any]]
    """What the last step of an episode told, with its "terminal_observation"."""
    resets: dict[int, dict[str, Any]]
    """What the resets told, by environment."""


def same_step(observations: Any, done: NDArray[np.bool_], infos: dict[str, Any]) -> Step:
    """A step under SAME_STEP: what the last step told is in "final_obs" and "final_info"."""
    each = [info_of(infos, i) for i in range(len(done))] if infos else [{} for _ in done]
    resets = {}
    for i in np.flatnonzero(done).tolist():
        resets[i] = {key: value for key, value in each[i].items() if key not in {"final_obs", "final_info"}}
        each[i] = {**each[i].get("final_info", {}), "terminal_observation": infos["final_obs"][i]}
    return Step(observations, each, resets)


def with_masked_resets(env: Any, observations: Any, done: NDArray[np.bool_], infos: dict[str, Any]) -> Step:
    """A step under the other modes: those that are done are reset now, so that none is when the next step comes."""
    each = [info_of(infos, i) for i in range(len(done))] if infos else [{} for _ in done]
    if not done.any():
        return Step(observations, each, {})
    ended = np.flatnonzero(done).tolist()
    for i in ended:
        each[i]["terminal_observation"] = _row(observations, i)
    observations, told = env.reset(options={"reset_mask": done})
    return Step(observations, each, {i: info_of(told, i) for i in ended})


def _row(observations: Any, i: int) -> Any:
    """The observation of one environment, in memory of its own."""
    if isinstance(observations, dict):
        return {key: _row(value, i) for key, value in observations.items()}
    return np.array(observations[i])


def without_masks(env: Any) -> bool:
    """Return whether a vector environment ignores reset masks, as the vectorised forms of Gymnasium do."""
    inside = getattr(env.unwrapped, "gymnasium_env", env).unwrapped
    known = (VectorEnv, KernelVectorEnv, gymnasium.vector.SyncVectorEnv, gymnasium.vector.AsyncVectorEnv)
    return isinstance(inside, gymnasium.vector.VectorEnv) and not isinstance(inside, known)
