"""The class `Renderer`, which draws images with pygame-ce. The package is imported when the first image is drawn."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import DependencyNotInstalled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Point", "Renderer"]

Point = tuple[float, float]
BACKGROUND, FAINT, LINE, INK = "#f7f8fa", "#e4e7ec", "#4a4f57", "#20262e"
BLUE, AMBER, GREEN, RED = "#2d5f8b", "#c98a3d", "#3f8f6b", "#b8483f"
FINE = 3
"""The factor by which shapes are drawn larger than in the image. Scaling them down makes their edges smooth."""
RGB = 0xFF, 0xFF00, 0xFF0000, 0
"""The colour masks of a surface that stores RGB bytes."""


def _load_pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # hides the message that pygame prints
    try:
        import pygame
    except ImportError as exc:
        raise DependencyNotInstalled(
            'Drawing needs pygame-ce; run: pip install "gymkernel-env-classic-control[render]"'
        ) from exc
    return pygame


class Renderer:
    """A renderer that draws states as images and, in "human" mode, shows the images in a window.

    A frame depends only on the state. It does not depend on random numbers or the time. A copied or unpickled renderer
    has no window.

    Args:
        draw: a function that takes this renderer, the environment and the numbers to show, and draws the whole image.
        size: the width and height of the image in pixels.
        title: the title of the window.
    """

    def __init__(self, draw: Callable[..., None], size: tuple[int, int], title: str) -> None:
        self.pygame = _load_pygame()
        self.size = size
        self._arguments = draw, size, title
        self._draw = draw
        self._canvas = self._surface(*size)
        self._key: Hashable = None
        self._large = self._small = self._canvas  # the backdrop
        self._shapes: list[tuple[Any, ...]] = []  # functions, because bound methods would create a reference cycle
        self._window: Any = None
        self._shown = 0.0

    def _surface(self, width: int, height: int) -> Any:
        return self.pygame.Surface((width, height), 0, 24, RGB)  # needs neither a display nor a video driver

    def __reduce__(self) -> tuple[type[Renderer], tuple[Any, ...]]:
        return Renderer, self._arguments

    def picture(self, system: Any, numbers: Sequence[float]) -> NDArray[np.uint8]:
        """Draw a state (given as numbers), and return the image as a new uint8 array of shape (height, width, 3)."""
        canvas, (width, height) = self._draw_canvas(system, numbers), self.size
        rows = np.frombuffer(canvas.get_buffer(), np.uint8).reshape(height, canvas.get_pitch())
        return rows[:, : 3 * width].reshape(height, width, 3).copy()

    def show(self, system: Any, numbers: Sequence[float], fps: int) -> None:
        """Show a state (given as numbers) in a window, after the previous image has been visible long enough."""
        if self._window is None:
            self.pygame.display.init()
            self.pygame.display.set_caption(self._arguments[2])
            self._window, self._shown = self.pygame.display.set_mode(self.size), time.monotonic()
        self._window.blit(self._draw_canvas(system, numbers), (0, 0))
        self.pygame.event.pump()
        self.pygame.display.flip()
        ends = self._shown + (1 / fps if fps else 0.0)  # pygame's Clock would leave a thread running
        time.sleep(max(0.0, ends - time.monotonic()))
        self._shown = time.monotonic()

    def close(self) -> None:
        """Close the window."""
        if self._window is not None:
            self.pygame.display.quit()
            self._window = None

    def _draw_canvas(self, system: Any, numbers: Sequence[float]) -> Any:
        """Draw the backdrop and the shapes in a larger size, and scale down only the area that contains shapes."""
        self._shapes.clear()
        self._draw(self, system, *numbers)
        self._canvas.blit(self._small, (0, 0))
        corners = np.array([corner for _, _, box, _ in self._shapes for corner in box])
        low = np.clip(np.floor(corners.min(axis=0)).astype(int), 0, self.size)
        high = np.clip(np.ceil(corners.max(axis=0)).astype(int), 0, self.size)
        (left, top), (width, height) = low.tolist(), (high - low).tolist()
        if width > 0 and height > 0:
            layer = self._surface(FINE * width, FINE * height)
            layer.blit(self._large, (-FINE * left, -FINE * top))
            for paint, colour, _, arguments in self._shapes:
                paint(self, layer, colour, left, top, *arguments)
            self._canvas.blit(self.pygame.transform.smoothscale(layer, (width, height)), (left, top))
        return self._canvas

    # The following methods draw shapes. Coordinates are in pixels, and y increases from top to bottom.

    def backdrop(self, key: Hashable, paint: Callable[[Any, int], None]) -> None:
        """Draw the static part of the image. If the key has not changed, reuse the previous drawing.

        Args:
            key: the values on which the backdrop depends.
            paint: a function that takes a surface, and the factor by which the surface is larger than the image.
        """
        if self._key != key or self._large is self._canvas:
            self._large = self._surface(self.size[0] * FINE, self.size[1] * FINE)
            paint(self._large, FINE)
            self._key, self._small = key, self.pygame.transform.smoothscale(self._large, self.size)

    def shape(self, points: Sequence[Point], colour: str) -> None:
        """Draw a filled polygon."""
        xs, ys = [x for x, _ in points], [y for _, y in points]
        box = (min(xs), min(ys)), (max(xs), max(ys))
        self._shapes.append((Renderer._polygon, colour, box, (points,)))

    def disc(self, centre: Point, radius: float, colour: str) -> None:
        """Draw a filled circle."""
        (x, y), most = centre, radius + 1
        box = (x - most, y - most), (x + most, y + most)
        self._shapes.append((Renderer._circle, colour, box, (centre, radius)))

    def _polygon(self, layer: Any, colour: str, left: int, top: int, points: Sequence[Point]) -> None:
        self.pygame.draw.polygon(layer, colour, [(FINE * (x - left), FINE * (y - top)) for x, y in points])

    def _circle(self, layer: Any, colour: str, left: int, top: int, centre: Point, radius: float) -> None:
        self.pygame.draw.circle(layer, colour, (FINE * (centre[0] - left), FINE * (centre[1] - top)), FINE * radius)

    def bar(self, start: Point, end: Point, width: float, colour: str, *, rounded: bool = True) -> None:
        """Draw a thick line with rounded or straight ends."""
        along = end[0] - start[0], end[1] - start[1]
        half = width / 2 / (math.hypot(*along) or 1.0)
        x, y = -along[1] * half, along[0] * half
        corners = (start[0] + x, start[1] + y), (start[0] - x, start[1] - y), (end[0] - x, end[1] - y)
        self.shape([*corners, (end[0] + x, end[1] + y)], colour)
        if rounded:
            self.disc(start, width / 2, colour)
            self.disc(end, width / 2, colour)

    def arrow(self, centre: Point, radius: float, start: float, turn: float, width: float, colour: str) -> None:
        """Draw an arc with an arrowhead. It begins at the angle `start` and spans `turn` radians.

        Angles are measured counterclockwise from the right.
        """
        if turn == 0:
            return

        def point(angle: float, distance: float) -> Point:
            return centre[0] + distance * math.cos(angle), centre[1] - distance * math.sin(angle)

        end, steps = start + turn, max(2, int(abs(turn) * 16))
        angles = [start + turn * i / steps for i in range(steps + 1)]
        rim = [point(angle, radius + width / 2) for angle in angles]
        self.shape([*rim, *[point(angle, radius - width / 2) for angle in reversed(angles)]], colour)
        tip = end + math.copysign(3 * width / radius, turn)
        self.shape([point(end, radius + 1.5 * width), point(end, radius - 1.5 * width), point(tip, radius)], colour)
