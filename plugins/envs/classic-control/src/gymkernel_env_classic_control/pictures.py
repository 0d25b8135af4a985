"""Functions that draw the states of the environments."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_env_classic_control.drawing import AMBER, BACKGROUND, BLUE, FAINT, GREEN, INK, LINE, RED, Renderer

if TYPE_CHECKING:
    from gymkernel_env_classic_control.acrobot_links import Links
    from gymkernel_env_classic_control.cartpole_mechanics import Mechanics
    from gymkernel_env_classic_control.pendulum_rod import Rod
    from gymkernel_env_classic_control.valley import Valley

__all__ = ["draw_acrobot", "draw_cartpole", "draw_mountain_car", "draw_pendulum"]

REACH = 1.6
"""Half the width of a pendulum's image in m, for a rod with a length of 1 m."""


def draw_acrobot(renderer: Renderer, links: Links, theta1: float, theta2: float, *_: float) -> None:
    """Draw Acrobot's two links, and the bar that the free end has to reach.

    `theta1` is the angle (rad) of the upper link from its hanging position, and `theta2` is the angle (rad) of the
    lower link from the upper link.
    """
    width, height = renderer.size
    upper, lower = links.LINK_LENGTH_1, links.LINK_LENGTH_2
    metre, fixed = width / (2 * (upper + lower + 0.2)), (width / 2, height / 2)

    def bar(surface: Any, fine: int) -> None:
        """Draw the bar and the area above it."""
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


def draw_cartpole(renderer: Renderer, mechanics: Mechanics, x: float, _: float, theta: float, __: float) -> None:
    """Draw a cart at `x` (m) and its pole at the angle `theta` (rad). The edges of the image are the limits of `x`."""
    width, height = renderer.size
    metre = width / (2 * mechanics.x_threshold)
    cart_width, cart_height, pole_width = width / 12, height * 0.075, width / 60
    rail = 0.75 * height

    def track(surface: Any, fine: int) -> None:
        """Draw the rail, the ground and the middle of the track."""
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


def draw_mountain_car(renderer: Renderer, valley: Valley, position: float, _: float) -> None:
    """Draw the car on the floor of the valley, parallel to the slope."""
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
    """Draw the floor, and the flag at the goal."""
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


def draw_pendulum(renderer: Renderer, rod: Rod, theta: float, _: float, torque: float) -> None:
    """Draw the rod, and an arrow around its joint that shows the torque.

    For the maximum torque, the arrow spans half a turn. `theta` is the counterclockwise angle (rad) from upright, and
    `torque` is the torque (N m) in the last step.
    """
    width, height = renderer.size
    metre, middle = width / (2 * REACH), (width / 2, height / 2)

    def circle(surface: Any, fine: int) -> None:
        """Draw the target and the circle traced by the tip of the rod."""
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
