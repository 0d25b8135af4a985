"""The picture of an acrobot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gymkernel_env_classic_control.drawing import AMBER, BACKGROUND, BLUE, FAINT, GREEN, INK, LINE, Renderer

if TYPE_CHECKING:
    from gymkernel_env_classic_control.acrobot_links import Links

__all__ = ["draw"]


def draw(renderer: Renderer, links: Links, theta1: float, theta2: float, *_: float) -> None:
    """Draw a state: both links, and the bar above which the free end has to come.

    `theta1` is the angle of the upper link from hanging down, `theta2` that of the lower from the upper, in rad.
    """
    width, height = renderer.size
    upper, lower = links.LINK_LENGTH_1, links.LINK_LENGTH_2
    metre, fixed = width / (2 * (upper + lower + 0.2)), (width / 2, height / 2)

    def bar(surface: Any, fine: int) -> None:
        """The bar, and what lies above it."""
        surface.fill(BACKGROUND)
        line = (height / 2 - metre) * fine
        renderer.pygame.draw.rect(surface, FAINT, (0, 0, width * fine, line))
        renderer.pygame.draw.line(surface, LINE, (0, line), (width * fine, line), 2 * fine)

    renderer.backdrop(metre, bar)
    elbow = fixed[0] + upper * metre * math.sin(theta1), fixed[1] + upper * metre * math.cos(theta1)
    angle = theta1 + theta2
    end = elbow[0] + lower * metre * math.sin(angle), elbow[1] + lower * metre * math.cos(angle)
    beyond = -math.cos(theta1) - math.cos(angle) > 1
    renderer.bar(fixed, elbow, 0.2 * metre, BLUE)
    renderer.bar(elbow, end, 0.2 * metre, GREEN if beyond else AMBER)
    for joint in (fixed, elbow):
        renderer.disc(joint, 0.055 * metre, INK)
