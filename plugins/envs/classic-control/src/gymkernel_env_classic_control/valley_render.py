"""The picture of the mountain car."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_env_classic_control.drawing import AMBER, BACKGROUND, BLUE, FAINT, INK, LINE, RED, Renderer

if TYPE_CHECKING:
    from gymkernel_env_classic_control.valley import Valley

__all__ = ["draw"]


def draw(renderer: Renderer, valley: Valley, position: float, _: float) -> None:
    """Draw a state: the car stands on the floor of the valley, along its slope."""
    width, height = renderer.size
    left, right = valley.min_position, valley.max_position
    unit = width / (right - left)
    renderer.backdrop(
        (left, right, valley.goal_position), lambda surface, fine: _hills(renderer, valley, surface, fine)
    )

    slope = math.atan(3 * 0.45 * math.cos(3 * position))
    along, up = (math.cos(slope), -math.sin(slope)), (-math.sin(slope), -math.cos(slope))
    foot = (position - left) * unit, height - float(valley.height(position)) * unit
    size = width / 600 * 1.15

    def point(forward: float, upward: float) -> tuple[float, float]:
        return (
            foot[0] + size * (forward * along[0] + upward * up[0]),
            foot[1] + size * (forward * along[1] + upward * up[1]),
        )

    renderer.shape([point(-21, 8), point(-21, 18), point(-16, 21), point(17, 21), point(22, 15), point(22, 8)], BLUE)
    renderer.shape([point(-11, 20), point(-8, 30), point(5, 30), point(11, 20)], BLUE)
    renderer.shape([point(-8, 21.5), point(-6, 27.5), point(3.5, 27.5), point(7, 21.5)], BACKGROUND)
    for forward in (-11, 12):
        renderer.disc(point(forward, 7.5), 7.5 * size, INK)
        renderer.disc(point(forward, 7.5), 3 * size, FAINT)


def _hills(renderer: Renderer, valley: Valley, surface: Any, fine: int) -> None:
    """The floor, and the flag at the goal."""
    draw = renderer.pygame.draw
    width, height = surface.get_size()
    unit = width / (valley.max_position - valley.min_position)
    xs = np.linspace(valley.min_position, valley.max_position, width // 2)
    floor = list(
        zip(((xs - valley.min_position) * unit).tolist(), (height - valley.height(xs) * unit).tolist(), strict=True)
    )
    surface.fill(BACKGROUND)
    draw.polygon(surface, FAINT, [*floor, (width, height), (0, height)])
    for point in floor:
        draw.circle(surface, LINE, point, 1.25 * fine)
    foot_x = (valley.goal_position - valley.min_position) * unit
    foot_y = height - float(valley.height(valley.goal_position)) * unit
    pole = 52 * fine
    draw.line(surface, LINE, (foot_x, foot_y), (foot_x, foot_y - pole), round(2.5 * fine))
    flag = [
        (foot_x, foot_y - pole),
        (foot_x + 26 * fine, foot_y - pole + 8 * fine),
        (foot_x, foot_y - pole + 16 * fine),
    ]
    draw.polygon(surface, RED, flag)
    draw.circle(surface, AMBER, (foot_x, foot_y - pole), 3.5 * fine)
