"""The picture of a pendulum and its motor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gymkernel_env_classic_control.drawing import AMBER, BACKGROUND, BLUE, FAINT, INK, LINE, RED, Renderer

if TYPE_CHECKING:
    from gymkernel_env_classic_control.pendulum import Rod

__all__ = ["draw"]

REACH = 1.6
"""Half of the picture in m, for a rod of 1 m."""


def draw(renderer: Renderer, rod: Rod, theta: float, _: float, torque: float) -> None:
    """Draw a state: the rod, and around its joint an arrow for the motor's torque, half a turn for the strongest.

    `theta` is the angle from upright in rad, counterclockwise, `torque` that of the last step in N m.
    """
    width, height = renderer.size
    metre, middle = width / (2 * REACH), (width / 2, height / 2)

    def circle(surface: Any, fine: int) -> None:
        """The way of the rod's end, and the mark that is to be reached."""
        surface.fill(BACKGROUND)
        centre = middle[0] * fine, middle[1] * fine
        radius = rod.l * metre * fine
        renderer.pygame.draw.circle(surface, FAINT, centre, radius, 2 * fine)
        renderer.pygame.draw.line(
            surface, LINE, (centre[0], centre[1] - radius * 1.19), (centre[0], centre[1] - radius * 1.11), 3 * fine
        )

    renderer.backdrop(rod.l, circle)
    end = middle[0] - rod.l * metre * math.sin(theta), middle[1] - rod.l * metre * math.cos(theta)
    renderer.bar(middle, end, 0.2 * metre, BLUE)
    renderer.disc(end, 0.06 * metre, AMBER)
    turn = math.pi * torque / rod.max_torque
    renderer.arrow(middle, 0.38 * metre, math.pi / 2 - turn / 2, turn, 0.045 * metre, RED)
    renderer.disc(middle, 0.06 * metre, INK)
