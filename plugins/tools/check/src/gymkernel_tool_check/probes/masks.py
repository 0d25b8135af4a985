"""Functions that find the mask of legal actions that an environment provides, and that sample legal actions."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from gymkernel_tool_check.introspect import is_a, read, safely
from gymkernel_util_spaces.compare import outline

__all__ = ["Mask", "draw", "mask_of"]

KEY: Final = "action_mask"
NONE: Final = np.zeros(0)


class Mask(NamedTuple):
    """An action mask, and where it comes from: the info, the observation or the method `action_masks`."""

    where: str
    value: Any

    @property
    def show(self) -> str:
        """A Python expression for the mask, in a program that assigns results to `observation`, `info` and so on."""
        places = {"info": f'info["{KEY}"]', "observation": f'observation["{KEY}"]'}
        return places.get(self.where, "env.unwrapped.action_masks()")

    @property
    def flags(self) -> np.ndarray[Any, Any]:
        """All flags of the mask as one vector. The vector is empty if the structure of the mask is unknown."""
        parts = self.value if is_a(self.value, tuple | list) else [self.value]
        return safely(lambda: np.concatenate([np.ravel(part) for part in parts]), default=NONE)


def mask_of(env: Any, observation: Any, info: Any) -> Mask | None:
    """Return the mask for the next action, or None if the environment provides no mask.

    >>> mask_of(None, {}, {"action_mask": np.array([1, 0], np.int8)}).where
    'info'
    """
    for where, found in (("info", info), ("observation", observation)):
        if is_a(found, dict) and found.get(KEY) is not None:
            return Mask(where, found[KEY])
    method = read(read(env, "unwrapped", env), "action_masks", None)
    return safely(lambda: Mask("method", outline(method())))  # the method may have another purpose


def draw(space: Any, mask: Mask) -> Any:
    """Return a random action that the mask allows, or any action if the structure of the mask is unknown."""
    value = mask.value
    candidates = [value, tuple(value) if is_a(value, list) else value]
    if is_a(value, np.ndarray | list) and np.ndim(value) == 1:
        candidates.append((np.asarray(value) > 0).astype(np.int8))
    for candidate in candidates:
        try:
            return space.sample(candidate)
        except Exception:  # noqa: BLE001, S112 - the space may not accept this format
            continue
    return space.sample()
