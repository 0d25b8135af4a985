"""What an environment's step returned, looked at before it is believed."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["checked"]


def checked(result: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
    """What step returned, in the types of this API."""
    if not isinstance(result, tuple | list) or len(result) != 5:
        seen = f"{len(result)} values" if isinstance(result, tuple | list) else type(result).__name__
        message = f"Expected step to return (observation, reward, terminated, truncated, info), got {seen}"
        raise TypeError(message)
    observation, reward, terminated, truncated, info = result
    try:
        number = float(np.asarray(reward).item()) if np.size(reward) == 1 and reward is not None else None
    except (TypeError, ValueError):
        number = None
    if number is None:
        message = f"Expected the reward to be a number, got {reward!r:.200} ({type(reward).__name__})"
        if np.size(reward) > 1:
            message += "; a wrapper that weighs it, such as TransformReward, makes one number of several"
        raise TypeError(message)
    if not isinstance(info, dict):
        message = f"Expected the info to be a dictionary, got {info!r:.200} ({type(info).__name__})"
        raise TypeError(message)
    try:
        return observation, number, bool(terminated), bool(truncated), info
    except ValueError:
        message = f"Expected terminated and truncated to be bool, got {terminated!r:.100} and {truncated!r:.100}"
        raise TypeError(message) from None
