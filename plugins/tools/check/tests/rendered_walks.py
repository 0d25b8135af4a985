"""An environment that can be rendered. The tests of rules about rendering define subclasses with one change each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel import Env
from gymkernel_space_box import Box

if TYPE_CHECKING:
    from gymkernel import Space

__all__ = ["Walk"]


class Walk(Env[Any, Any]):
    """A noisy random walk in the plane with a fixed number of steps.

    Args:
        length: the number of steps in an episode.
        render_mode: "rgb_array" for an image with a white dot, or "ansi" for the position as text.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": 10}  # noqa: RUF012 - declared as in `Env`

    def __init__(self, length: int = 9, render_mode: str | None = None) -> None:
        self.observation_space: Space[Any] = Box(-100, 100, (2,))
        self.action_space: Space[Any] = Box(-1, 1, (2,))
        self.length, self.render_mode = length, render_mode
        self.place: Any = np.zeros(2)
        self.time = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Start at a random position near the origin."""
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 2)
        self.time = 0
        return self.observe(), {}

    def observe(self) -> Any:
        return self.place.astype(np.float32)

    def step(self, action: Any) -> Any:
        """Move by `action` plus some noise."""
        self.place = self.place + action + self.np_random.normal(0, 0.01, 2)
        self.time += 1
        return self.observe(), self.reward(), self.time >= self.length, False, {}

    def reward(self) -> Any:
        """Return the negative distance of the position from the origin."""
        return -float(np.abs(self.place).sum())

    def render(self) -> Any:
        """Return the current position as an image or as text."""
        if self.render_mode == "ansi":
            return f"{self.place}\n"
        frame = np.zeros((16, 16, 3), np.uint8)
        x, y = np.clip(self.place + 8, 0, 15).astype(int)
        frame[y, x] = 255
        return frame
