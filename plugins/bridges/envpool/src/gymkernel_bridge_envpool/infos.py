"""The class `InfoLayout`, which adds masks to EnvPool's infos."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_bridge_envpool.rows import put_rows

if TYPE_CHECKING:
    from gymkernel.protocols import Info, Mask

__all__ = ["InfoLayout"]

PLAYERS = "players"
"""The key under which EnvPool stores the index of each player's environment. With one player, it repeats "env_id"."""


class InfoLayout:
    """A converter of EnvPool's infos to the layout that vector environments have: a mask "_x" for each key "x".

    Args:
        size: the number of environments in a batch.

    >>> InfoLayout(2).of_batch({"lives": np.array([3, 2])})
    {'lives': array([3, 2]), '_lives': array([ True,  True])}
    """

    def __init__(self, size: int) -> None:
        self._every = np.ones(size, np.bool_)
        self._every.flags.writeable = False  # all infos share this mask
        self._keys: frozenset[str] = frozenset()
        self._masks: Info = {}

    def of_batch(self, infos: Info) -> Info:
        """Add masks to infos that contain a value for each environment. The dictionary is modified and returned."""
        infos.pop(PLAYERS, None)
        if infos.keys() != self._keys:
            is_nested = any(isinstance(value, dict) for value in infos.values())
            self._keys = frozenset() if is_nested else frozenset(infos)
            self._masks = {} if is_nested else {f"_{key}": self._every for key in infos}
            if is_nested:
                return _with_masks(infos, self._every)
        infos.update(self._masks)
        return infos

    def of_rows(self, infos: Info, num_envs: int) -> Info:
        """Return infos with a value and a mask for each environment, given infos with values for some environments.

        Args:
            infos: infos of EnvPool, in which "env_id" contains the indices of the environments.
            num_envs: the number of all environments.
        """
        rows = infos["env_id"]
        mask = np.zeros(num_envs, np.bool_)
        mask[rows] = True
        infos.pop(PLAYERS, None)
        return _with_masks(_spread(infos, rows, num_envs), mask)


def _with_masks(infos: Info, mask: Mask) -> Info:
    for key in list(infos):
        if isinstance(infos[key], dict):
            _with_masks(infos[key], mask)
        infos[f"_{key}"] = mask
    return infos


def _spread(infos: Any, rows: Any, num_envs: int) -> Any:
    if isinstance(infos, dict):
        return {key: _spread(value, rows, num_envs) for key, value in infos.items()}
    return put_rows(np.zeros((num_envs, *infos.shape[1:]), infos.dtype), rows, infos)
