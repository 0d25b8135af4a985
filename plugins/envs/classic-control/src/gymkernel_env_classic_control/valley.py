"""The valley of the mountain car: what its two single environments and their vectorised forms have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel_env_classic_control.utils import maybe_parse_reset_bounds
from gymkernel_space_box import Box

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_classic_control.drawing import Renderer

__all__ = ["Valley"]

START = (-0.6, -0.4)
"""A new episode draws the position uniformly between these; the velocity is 0."""


class Valley:
    """A valley with the floor sin(3x), a wall at its left end, a goal on its right hill, and a speed limit.

    The constants are attributes, read at every step.

    Args:
        goal_position: where an episode ends.
        goal_velocity: the least velocity at which it does.
    """

    parts: ClassVar[tuple[str, ...]] = ("position", "velocity")

    def __init__(self, goal_position: float, goal_velocity: float) -> None:
        self.min_position, self.max_position = -1.2, 0.6
        self.max_speed = 0.07  # per step
        self.goal_position = goal_position
        self.goal_velocity = goal_velocity
        self.screen_width, self.screen_height = 600, 400  # pixels

    def observation_bounds(self) -> Box[np.float32]:
        """The ends of the valley and the speed limit."""
        low, high = [self.min_position, -self.max_speed], [self.max_position, self.max_speed]
        return Box(np.array(low, np.float32), np.array(high, np.float32), dtype=np.float32)

    def reset_bounds(self, options: Mapping[str, Any] | None) -> tuple[float, float]:
        """Between what a reset with these options draws."""
        return maybe_parse_reset_bounds(options, *START)

    def height(self, xs: Any) -> NDArray[np.float64]:
        """The height of the floor as it is drawn, from 0.1 to 1, in units of the valley."""
        return np.asarray(np.sin(3 * np.asarray(xs)) * 0.45 + 0.55)

    def new_renderer(self) -> Renderer:
        """What draws; pygame-ce is imported here."""
        from gymkernel_env_classic_control.drawing import Renderer
        from gymkernel_env_classic_control.pictures import draw_mountain_car

        return Renderer(draw_mountain_car, (self.screen_width, self.screen_height), "MountainCar")
