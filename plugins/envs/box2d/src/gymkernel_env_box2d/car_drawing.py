"""Functions that draw the car, the road, the grass and the instruments of CarRacing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel_env_box2d.car_constants import GRASS_DIM, PLAYFIELD, WINDOW_H, WINDOW_W
from gymkernel_env_box2d.drawing import load_pygame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["View", "draw_car", "draw_field", "draw_instruments", "draw_quads", "grass_patches"]

Point = tuple[float, float]
MARGIN = 3
"""An upper limit for how far, in pixels, smooth edges extend beyond the corners of a polygon."""
WHITE, GREY, BLACK = (255, 255, 255), (77, 77, 77), (0, 0, 0)
HALF_WIDTH, RADIUS = 14 * 0.02, 27
CELL_W, CELL_H = WINDOW_W / 40.0, WINDOW_H / 40.0
"""The width and height, in pixels, of the cells in which the instruments are arranged."""


class View:
    """A camera that converts positions in the world to positions in an image.

    Args:
        angle: the angle in rad by which the world is rotated.
        zoom: the number of pixels per unit of length.
        translation: the position of the world's origin in pixels.
    """

    def __init__(self, angle: float, zoom: float, translation: Sequence[float]) -> None:
        turned = load_pygame().math.Vector2(1.0, 0.0).rotate_rad(angle)
        self.cos, self.sin, self.zoom = turned.x, turned.y, zoom
        self.x, self.y = translation[0], translation[1]

    def __call__(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Convert a position in the world to pixels. The arguments are floats or arrays."""
        column = (self.cos * x - self.sin * y) * self.zoom + self.x
        return column, (self.sin * x + self.cos * y) * self.zoom + self.y

    def covers_window(self) -> bool:
        """Return whether everything that the window shows is inside the field."""
        bound = PLAYFIELD - MARGIN / self.zoom
        for column in (0, WINDOW_W):
            for row in (0, WINDOW_H):
                x, y = (column - self.x) / self.zoom, (row - self.y) / self.zoom
                if max(abs(self.cos * x + self.sin * y), abs(self.cos * y - self.sin * x)) > bound:
                    return False
        return True


def grass_patches() -> NDArray[np.float64]:
    """Return the corners of the light squares of grass in an array of shape (400, 4, 2)."""
    corners = [(GRASS_DIM, 0), (0, 0), (0, GRASS_DIM), (GRASS_DIM, GRASS_DIM)]
    patches = [
        [(GRASS_DIM * x + right, GRASS_DIM * y + top) for right, top in corners]
        for x in range(-20, 20, 2)
        for y in range(-20, 20, 2)
    ]
    return np.array(patches, np.float64)


def draw_field(pygame: Any, surface: Any, view: View, colour: tuple[int, ...]) -> None:
    """Draw the field around the track."""
    if view.covers_window():
        surface.fill(colour)
        return
    corners = [(PLAYFIELD, PLAYFIELD), (PLAYFIELD, -PLAYFIELD), (-PLAYFIELD, -PLAYFIELD), (-PLAYFIELD, PLAYFIELD)]
    points = [view(x, y) for x, y in corners]
    pygame.gfxdraw.aapolygon(surface, points, colour)
    pygame.gfxdraw.filled_polygon(surface, points, colour)


def draw_quads(
    pygame: Any, surface: Any, view: View, quads: NDArray[np.float64], colour: Callable[[int], tuple[int, ...]]
) -> None:
    """Draw the quadrilaterals that are visible in the window.

    Args:
        pygame: the pygame module.
        surface: the pygame surface to draw on.
        view: the camera.
        quads: the corners in an array of shape (n, 4, 2).
        colour: a function that returns the colour of the quadrilateral with the given index.
    """
    columns, rows = view(quads[:, :, 0], quads[:, :, 1])
    visible = (columns.max(axis=1) > -MARGIN) & (columns.min(axis=1) < WINDOW_W + MARGIN)
    visible &= (rows.max(axis=1) > -MARGIN) & (rows.min(axis=1) < WINDOW_H + MARGIN)
    indices = np.flatnonzero(visible)
    points = np.stack((columns[indices], rows[indices]), axis=2).astype(np.int64).tolist()
    outline, fill = pygame.gfxdraw.aapolygon, pygame.gfxdraw.filled_polygon
    for index, corners in zip(indices.tolist(), points, strict=True):
        paint = colour(index)
        outline(surface, corners, paint)
        fill(surface, corners, paint)


def draw_car(
    car: Any, surface: Any, zoom: float, translation: Sequence[float], angle: float, *, draw_particles: bool
) -> None:
    """Draw the car. If `draw_particles` is true, also draw the traces of its wheels."""
    draw = load_pygame().draw
    view = View(angle, zoom, translation)
    if draw_particles:
        for particle in car.particles:
            draw.lines(surface, particle.color, False, [view(x, y) for x, y in particle.poly], 2)
    for body in car.drawlist:
        colour = [int(part * 255) for part in body.color]
        place = body.transform
        for fixture in body.fixtures:
            path = [view(*(place * vertex).tuple) for vertex in fixture.shape.vertices]
            draw.polygon(surface, colour, path)
            if "phase" in body.__dict__ and (mark := _mark(body.phase)):
                draw.polygon(surface, GREY, [view(*(place * vertex).tuple) for vertex in mark])


def _mark(phase: float) -> list[Point] | None:
    """Return the corners of the mark that makes a wheel's rotation visible, or None if the mark is hidden."""
    ends = []
    for turned in (phase, phase + 1.2):
        height = math.cos(turned)
        if math.sin(turned) > 0:
            ends.append((height > 0) - (height < 0) if height else height)
        else:
            ends.append(height)
    if math.sin(phase) > 0 and math.sin(phase + 1.2) > 0:
        return None
    first, second = (RADIUS * end * 0.02 for end in ends)
    return [(-HALF_WIDTH, first), (HALF_WIDTH, first), (HALF_WIDTH, second), (-HALF_WIDTH, second)]


def draw_instruments(pygame: Any, surface: Any, car: Any) -> None:
    """Draw bars for the speed, the angular velocities of the wheels, the steering angle and the rate of turning."""
    w, h = CELL_W, CELL_H
    top = WINDOW_H - 5 * h
    pygame.draw.polygon(surface, BLACK, [(WINDOW_W, WINDOW_H), (WINDOW_W, top), (0, top), (0, WINDOW_H)])

    def upright(place: int, value: float, number: float, colour: tuple[int, int, int]) -> None:
        if abs(value) > 1e-4:
            end, start = WINDOW_H - (h + h * number), WINDOW_H - h
            left, right = place * w, (place + 1) * w
            pygame.draw.polygon(surface, colour, [(left, end), (right, end), (right, start), (left, start)])

    def level(place: int, value: float, number: float, colour: tuple[int, int, int]) -> None:
        if abs(value) > 1e-4:
            upper, lower = WINDOW_H - 4 * h, WINDOW_H - 2 * h
            left, right = place * w, (place + number) * w
            pygame.draw.polygon(surface, colour, [(left, upper), (right, upper), (right, lower), (left, lower)])

    x_speed, y_speed = car.hull.linearVelocity.tuple
    speed = math.sqrt(x_speed * x_speed + y_speed * y_speed)
    upright(5, speed, 0.02 * speed, WHITE)
    for i, wheel in enumerate(car.wheels):
        upright(7 + i, wheel.omega, 0.01 * wheel.omega, (0, 0, 255) if i < 2 else (51, 0, 255))
    steering, turning = car.wheels[0].joint.angle, car.hull.angularVelocity
    level(20, steering, -10.0 * steering, (0, 255, 0))
    level(30, turning, -0.8 * turning, (255, 0, 0))
