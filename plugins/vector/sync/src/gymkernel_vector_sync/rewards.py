"""The rewards of one step as an array, whatever kind of number each environment returns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["batch_rewards"]


def batch_rewards(rewards: Sequence[Any]) -> NDArray[np.float64]:
    """Numbers of Python or NumPy, and arrays of one number, as float64.

    Raises:
        TypeError: a reward is something else; the message names the environment.

    >>> batch_rewards([1, np.float32(0.5), np.array([2.0])])
    array([1. , 0.5, 2. ])
    """
    try:
        batch = np.array(rewards, np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    else:
        if batch.shape == (len(rewards),):
            least = batch[batch.argmin()]
            if least == least:  # noqa: PLR0124 - not NaN, which NumPy makes of None
                return batch
    return np.array([_number(reward, i) for i, reward in enumerate(rewards)])


def _number(reward: Any, i: int) -> float:
    try:
        return float(np.asarray(reward).item())
    except (TypeError, ValueError, OverflowError):
        message = f"Expected the reward of environment {i} to be a number, got {reward!r} ({type(reward).__name__})"
        if np.size(reward) > 1:
            message += "; a wrapper that weighs it, such as TransformReward, makes one number of several"
        raise TypeError(message) from None
