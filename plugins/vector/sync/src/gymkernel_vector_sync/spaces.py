"""The spaces of a vector environment, from those of its environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.spaces.utils import is_space_dtype_shape_equiv
from gymkernel.vector.utils import batch_differing_spaces, batch_space

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["action_spaces", "observation_spaces"]


def observation_spaces(envs: Sequence[Any], mode: Any) -> tuple[Any, Any]:
    """(batched, single) for an observation mode; a RuntimeError names the first environment that does not fit.

    Args:
        envs: the environments.
        mode: "same", "different", or a tuple (batched space, single space).
    """
    if not envs:
        message = "SyncVectorEnv expects at least one function that makes an environment, got none"
        raise ValueError(message)
    single = envs[0].observation_space
    if isinstance(mode, tuple):
        if len(mode) != 2 or not all(hasattr(space, "sample") for space in mode):
            message = f"Expected observation_mode to be a tuple (batched space, single space), got {mode!r}"
            raise TypeError(message)
        batched, single = mode
    elif mode not in ("same", "different"):  # a tuple, since a mode may be unhashable
        message = f"Expected observation_mode to be 'same', 'different' or (batched space, single space), got {mode!r}"
        raise ValueError(message)
    for i, env in enumerate(envs):
        space = env.observation_space
        if mode == "same" and space != single:
            message = (
                f"Expected one observation space, got {single} from environment 0 and {space} from environment {i}; "
                "where they differ in their bounds alone, pass observation_mode='different'"
            )
            raise RuntimeError(message)
        if mode != "same" and not _equivalent(space, single):
            message = (
                f"Expected observation spaces of one shape and dtype, got {single} and, from environment {i}, {space}"
            )
            raise RuntimeError(message)
    if mode == "same":
        batched = batch_space(single, len(envs))
    elif mode == "different":
        batched = batch_differing_spaces([env.observation_space for env in envs])
    return batched, single


def action_spaces(envs: Sequence[Any]) -> tuple[Any, Any]:
    """(batched, single); a RuntimeError names the first environment whose action space is another."""
    single = envs[0].action_space
    for i, env in enumerate(envs):
        if env.action_space != single:
            other = env.action_space
            message = f"Expected one action space, got {single} from environment 0 and {other} from environment {i}"
            raise RuntimeError(message)
    return batch_space(single, len(envs)), single


def _equivalent(space: Any, single: Any) -> bool:
    """Whether elements of both fit one batch; spaces without arrays are batched as tuples, in which everything fits."""
    try:
        return bool(is_space_dtype_shape_equiv(space, single))
    except NotImplementedError:
        return True
