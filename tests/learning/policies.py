"""Policies that rollouts and plain loops share, with operations whose results do not depend on the number of rows."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["balance", "balance_each", "land", "land_each"]


def land(observations: Any) -> Any:
    """Return the actions of a simple controller for LunarLander, for a batch of observations."""
    x, vx, vy, angle = observations[..., 0], observations[..., 2], observations[..., 3], observations[..., 4]
    error = angle - np.clip(0.5 * x + vx, -0.3, 0.3)
    turn = np.where(error > 0.1, 3, np.where(error < -0.1, 1, 0))
    return np.where(vy < -0.4, 2, turn)


def balance(observations: Any) -> Any:
    """Return the torques of a simple controller for HalfCheetah, for a batch of observations."""
    angles, speeds = observations[..., 2:8], observations[..., 11:17]
    return np.clip(0.1 * speeds - angles, -1.0, 1.0).astype(np.float32)


def land_each(observation: Any) -> int:
    """Return the action of `land` for one observation."""
    return int(land(observation))


balance_each = balance
"""The policy `balance`, which also accepts one observation."""
