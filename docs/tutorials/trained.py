"""What cartpole_reinforce.py learns, as a policy for `gymkernel rollout` and `gymkernel render`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cartpole_reinforce import chances, learn

if TYPE_CHECKING:
    import numpy as np


class Trained:
    """Takes the likelier action."""

    def __init__(self, env: Any) -> None:
        self.weights, _ = learn(100)

    def __call__(self, observation: np.ndarray) -> int:
        """Choose."""
        return int(chances(self.weights, observation[None])[0] > 0.5)
