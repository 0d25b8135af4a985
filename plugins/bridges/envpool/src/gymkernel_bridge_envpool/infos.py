"""The class `InfoLayout`, which adds masks to EnvPool's infos, and a function that replaces rows of a batch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from gymkernel.protocols import Info, Mask

__all__ = ["InfoLayout", "put_rows"]

PLAYERS = "players"
"""The info key for the environment index of each player. If there is only one player, it duplicates "env_id"."""


class InfoLayout:
    """A converter that adds a mask "_x" for each key "x" in EnvPool's infos, as gymkernel's vector environments do.

    A converter serves the batches of one pool, whose infos always have the same keys.

    Args:
        size: the number of environments in a batch.

    >>> InfoLayout(2).of_batch({"lives": np.array([3, 2])})
    {'lives': array([3, 2]), '_lives': array([ True,  True])}
    """

    def __init__(self, size: int) -> None:
        self._every = np.ones(size, np.bool_)
        self._every.flags.writeable = False  # all infos share this mask
        self._masks: Info | None = None
        """The masks of all keys, which are the same for every batch. The dictionary is empty if infos are nested."""

    def of_batch(self, infos: Info) -> Info:
        """Add masks to infos with a value for every environment. The given dictionary is modified and returned."""
        infos.pop(PLAYERS, None)
        if self._masks is None:
            is_nested = any(isinstance(value, dict) for value in infos.values())
            self._masks = {} if is_nested else {f"_{key}": self._every for key in infos}
        if not self._masks:
            return _with_masks(infos, self._every)
        infos.update(self._masks)
        return infos

    def of_rows(self, infos: Info, num_envs: int) -> Info:
        """Expand infos with values for only some environments to all environments, and add masks.

        The other environments have zeros as values.

        Args:
            infos: the infos from EnvPool, in which "env_id" contains the indices of the environments that have values.
            num_envs: the total number of environments.
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


def put_rows(batch: Any, rows: Any, values: Any) -> Any:
    """Return a copy of a batch in which some rows are replaced.

    Args:
        batch: an array, or a dictionary of arrays, with one row per environment.
        rows: the indices of the rows to replace.
        values: the new rows, in the order of the indices.

    >>> put_rows(np.zeros(3), [2, 0], np.array([5.0, 6.0]))
    array([6., 0., 5.])
    """
    if isinstance(batch, dict):
        return {key: put_rows(part, rows, values[key]) for key, part in batch.items()}
    copied = batch.copy()
    copied[rows] = values
    return copied
