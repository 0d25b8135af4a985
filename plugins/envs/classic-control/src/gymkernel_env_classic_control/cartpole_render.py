"""The picture of a cart and its pole."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gymkernel_env_classic_control.drawing import AMBER, BACKGROUND, BLUE, FAINT, INK, LINE, Renderer

if TYPE_CHECKING:
    from gymkernel_env_classic_control.cartpole_mechanics import Mechanics

__all__ = ["draw"]


def draw(renderer: Renderer, mechanics: Mechanics, x: float, _: float, theta: float, __: float) -> None:
    """Draw a cart at `x` (m) with its pole at `theta` (rad). The picture's edges are the limits of an episode."""
    width, height = renderer.size
    metre = width / (2 * mechanics.x_threshold)
    cart_width, cart_height, pole_width = width / 12, height * 0.075, width / 60
    rail = 0.75 * height

    def track(surface: Any, fine: int) -> None:
        """The rail and the ground, and where the ends of the rail are."""
        draw = renderer.pygame.draw
        surface.fill(BACKGROUND)
        draw.rect(surface, FAINT, (0, rail * fine, width * fine, (height - rail) * fine))
        draw.line(surface, LINE, (0, rail * fine), (width * fine, rail * fine), 2 * fine)
        draw.line(
            surface, LINE, (width / 2 * fine, (rail + 18) * fine), (width / 2 * fine, (rail + 26) * fine), 2 * fine
        )

    renderer.backdrop(None, track)
    middle = width / 2 + x * metre
    hinge = middle, rail - cart_height / 4
    sine, cosine, length = math.sin(theta), math.cos(theta), 2 * mechanics.length * metre
    top = hinge[0] + length * sine, hinge[1] - length * cosine
    left, right, roof, floor = (
        middle - cart_width / 2,
        middle + cart_width / 2,
        rail - cart_height / 2,
        rail + cart_height / 2,
    )
    cut = cart_height / 8
    low, high = [(right, floor - cut), (right - cut, floor), (left + cut, floor), (left, floor - cut)], []
    high = [(left, roof + cut), (left + cut, roof), (right - cut, roof), (right, roof + cut)]
    renderer.shape([*low, *high], BLUE)
    renderer.bar(
        (hinge[0] - sine * pole_width / 2, hinge[1] + cosine * pole_width / 2), top, pole_width, AMBER, rounded=False
    )
    renderer.disc(hinge, pole_width / 3, INK)
