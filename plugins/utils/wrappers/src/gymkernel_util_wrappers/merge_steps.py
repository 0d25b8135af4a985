"""Functions that merge the results of partial steps and resets of a vector environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import UnsupportedMode
from gymkernel.infos import batch_infos, info_of
from gymkernel.ops import batch, iterate

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymkernel.protocols import Info, Mask

__all__ = ["merge_infos", "merge_observations", "merge_results", "step_part", "with_final_info"]


SMALL = 4096
"""The size in bytes below which batches are merged with `np.where`, because it is faster than indexing for small
arrays."""


def step_part(envs: Any, actions: Any, mask: Mask) -> tuple[Any, Any, Any, Any, Info]:
    """Step the environments that the mask selects, or raise an error if the vector environment cannot do that.

    Args:
        envs: a vector environment.
        actions: a batch of actions for all environments. Actions outside the mask are ignored.
        mask: a Boolean array of shape (num_envs,) that is True for each environment to step.

    Returns:
        The observations, rewards, terminations, truncations and infos. The values of environments outside the mask are
        meaningless.

    Raises:
        UnsupportedMode: if the vector environment has no `step_masked` method, for example because it comes from
            another library.
    """
    if not hasattr(envs, "step_masked"):
        raise UnsupportedMode(
            f"{envs} cannot step only some of its environments, because it has no method step_masked; create the "
            "environments with a vector environment of gymkernel, such as gymkernel.vector.SyncVectorEnv"
        )
    return envs.step_masked(actions, mask)  # type: ignore[no-any-return]


def merge_results(envs: Any, mask: Mask, new: Any, old: Any) -> tuple[Any, Any, Any, Any, Info]:
    """Merge the results of two partial steps into the results of one step.

    Args:
        envs: the vector environment that returned the results.
        mask: a Boolean array of shape (num_envs,) that is True for each environment whose results are in `new`.
        new: the five values that `step` returned for the environments in the mask.
        old: the five values that `step` returned for the other environments.

    Returns:
        The five values of the merged step, which share no memory with the arguments.
    """
    flags = [np.where(mask, new_part, old_part) for new_part, old_part in zip(new[1:4], old[1:4], strict=True)]
    rewards, terminations, truncations = flags
    observations = merge_observations(envs, mask, new[0], old[0])
    return observations, rewards, terminations, truncations, merge_infos(mask, new[4], old[4])


def merge_observations(envs: Any, mask: Mask, new: Any, old: Any) -> Any:
    """Return a batch with the observations of the masked environments from `new` and all other observations from `old`.

    Args:
        envs: the vector environment that returned the observations.
        mask: a Boolean array of shape (num_envs,) that is True for each environment whose observations are in `new`.
        new: the batch of observations for the masked environments, an element of `envs.observation_space`.
        old: the batch of observations for the other environments.
    """
    if isinstance(new, np.ndarray) and isinstance(old, np.ndarray):
        if old.nbytes < SMALL:
            return np.where(mask.reshape(-1, *[1] * (old.ndim - 1)), new, old)
        merged = old.copy()
        merged[mask] = new[mask]
        return merged
    pairs = zip(*(iterate(envs.observation_space, part) for part in (new, old)), mask.tolist(), strict=True)
    rows = [new_row if is_new else old_row for new_row, old_row, is_new in pairs]
    return batch(envs.single_observation_space, rows)


def merge_infos(mask: Mask, new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """Return infos with the values of the masked environments from `new` and all other values from `old`.

    Args:
        mask: a Boolean array of shape (num_envs,) that is True for each environment whose infos are in `new`.
        new: the infos of a partial step.
        old: the infos of the previous step.

    >>> old = {"x": np.array([1, 2]), "_x": np.array([True, True])}
    >>> new = {"y": np.array([0, 7]), "_y": np.array([False, True])}
    >>> merge_infos(np.array([False, True]), new, old)
    {'x': array([1, 0]), '_x': array([ True, False]), 'y': array([0, 7]), '_y': array([False,  True])}
    """
    if not new and not old:
        return {}
    each = ((i, source) for i, is_new in enumerate(mask.tolist()) if (source := new if is_new else old))
    return batch_infos(((i, info) for i, source in each if (info := info_of(source, i))), len(mask))


def with_final_info(infos: Info, rows: Mask, change: Callable[[int, Info], Info]) -> Info:
    """Apply a function to the final infos of some environments, and return a copy of the infos with the changes.

    Args:
        infos: the infos of a step, which are not modified.
        rows: a Boolean array of shape (num_envs,) that is True for each environment whose `infos["final_info"]` is
            changed. Environments without a final info are skipped.
        change: a function that takes an environment's index and final info, and returns the changed info.
    """
    column = []
    for i, changes in enumerate(rows.tolist()):
        info = info_of(infos, i)
        if "final_info" in info:
            last = info["final_info"]
            column.append((i, {"final_info": change(i, last) if changes and isinstance(last, dict) else last}))
    return {**infos, **batch_infos(column, len(rows))}
