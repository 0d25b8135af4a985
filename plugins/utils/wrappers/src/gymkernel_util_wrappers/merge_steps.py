"""What partial steps and resets of a vector environment return, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import UnsupportedMode
from gymkernel.infos import batch_infos, info_of
from gymkernel.ops import concatenate, create_empty_array, iterate

if TYPE_CHECKING:
    from collections.abc import Callable

    from gymkernel.protocols import Info, Mask

__all__ = ["merge_infos", "merge_observations", "merge_results", "step_part", "with_final_info"]


SMALL = 4096
"""Bytes of a batch below which `np.where` takes half as long as indexing; on images, it takes many times as long."""


def step_part(envs: Any, actions: Any, mask: Mask) -> tuple[Any, Any, Any, Any, Info]:
    """The results of `envs.step_masked(actions, mask)`.

    Args:
        envs: a vector environment.
        actions: a batch for all environments; those outside of the mask are not looked at.
        mask: which environments act, bool of (num_envs,).

    Returns:
        Observations, rewards, terminations, truncations and infos, whose rows outside of the mask mean nothing.

    Raises:
        UnsupportedMode: the vector environment, perhaps of another library, has no such method.
    """
    if not hasattr(envs, "step_masked"):
        raise UnsupportedMode(
            f"{envs} cannot step a part of its environments, as it has no step_masked; use a vector environment of "
            "gymkernel, such as gymkernel.vector.SyncVectorEnv, around the same environments"
        )
    return envs.step_masked(actions, mask)  # type: ignore[no-any-return]


def merge_results(envs: Any, mask: Mask, new: Any, old: Any) -> tuple[Any, Any, Any, Any, Info]:
    """The results of two steps as those of one.

    Args:
        envs: the vector environment that returned them.
        mask: bool, of shape (num_envs,): the environments whose results are in `new`.
        new: five values, as `step` returns them.
        old: five values, for the other environments.

    Returns:
        Five values in memory of their own.
    """
    flags = [np.where(mask, one, other) for one, other in zip(new[1:4], old[1:4], strict=True)]
    rewards, terminations, truncations = flags
    observations = merge_observations(envs, mask, new[0], old[0])
    return observations, rewards, terminations, truncations, merge_infos(mask, new[4], old[4])


def merge_observations(envs: Any, mask: Mask, new: Any, old: Any) -> Any:
    """A batch of observations with the environments of a mask from `new`, and the others from `old`.

    Args:
        envs: the vector environment whose observations they are.
        mask: bool, of shape (num_envs,).
        new: an element of `envs.observation_space`.
        old: another one.
    """
    if isinstance(new, np.ndarray) and isinstance(old, np.ndarray):
        if old.nbytes < SMALL:
            return np.where(mask.reshape(-1, *[1] * (old.ndim - 1)), new, old)
        merged = old.copy()
        merged[mask] = new[mask]
        return merged
    pairs = zip(*(iterate(envs.observation_space, batch) for batch in (new, old)), mask.tolist(), strict=True)
    rows = [one if here else other for one, other, here in pairs]
    single = envs.single_observation_space
    return concatenate(single, rows, create_empty_array(single, len(rows)))


def merge_infos(mask: Mask, new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """The infos of the environments of a mask from `new`, those of the others from `old`.

    Args:
        mask: which environments are in `new`, bool of (num_envs,).
        new: the infos of a step of a part.
        old: the infos of the step before.

    >>> old = {"x": np.array([1, 2]), "_x": np.array([True, True])}
    >>> new = {"y": np.array([0, 7]), "_y": np.array([False, True])}
    >>> merge_infos(np.array([False, True]), new, old)
    {'x': array([1, 0]), '_x': array([ True, False]), 'y': array([0, 7]), '_y': array([False,  True])}
    """
    if not new and not old:
        return {}
    each = ((i, source) for i, here in enumerate(mask.tolist()) if (source := new if here else old))
    return batch_infos(((i, info) for i, source in each if (info := info_of(source, i))), len(mask))


def with_final_info(infos: Info, rows: Mask, change: Callable[[int, Info], Info]) -> Info:
    """Return infos in which the last infos of episodes are changed; what other environments have there stays.

    Args:
        infos: of a step; they are not changed.
        rows: the environments whose `infos["final_info"]` is changed, where they have one; bool of (num_envs,).
        change: called with the index of such an environment and its last info, which it returns changed.
    """
    column = []
    for i, here in enumerate(rows.tolist()):
        info = info_of(infos, i)
        if "final_info" in info:
            last = info["final_info"]
            column.append((i, {"final_info": change(i, last) if here and isinstance(last, dict) else last}))
    return {**infos, **batch_infos(column, len(rows))}
