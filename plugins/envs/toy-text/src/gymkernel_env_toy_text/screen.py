"""The class `Screen`, which draws with pygame-ce. The package is imported when the first image is drawn."""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gymkernel.error import DependencyNotInstalled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Brush", "Painter", "Screen", "brush_on"]

FINE = 4
"""The factor by which shapes are drawn larger than in the image. Scaling them down makes their edges smooth."""


class Painter(Hashable, Protocol):
    """The interface of painters, which draw scenes. Painters are plain data, so that equal painters share images."""

    @property
    def title(self) -> str:
        """Return the title of the window."""

    @property
    def size(self) -> tuple[int, int]:
        """Return the width and the height of the image in pixels."""

    def board(self, brush: Brush) -> None:
        """Draw the static part of the image. This method is called only once."""

    def sprites(self, brush: Brush) -> dict[Any, Any]:
        """Draw the movable pieces, and return a surface for each, keyed by name. This method is called only once."""

    def pieces(self, brush: Brush, sprites: dict[Any, Any], *scene: Any) -> None:
        """Place the pieces of a scene on the board."""


class Brush:
    """A helper that draws shapes on a surface. Positions are given in pixels of the final image.

    Args:
        pygame: the pygame module.
        surface: the pygame surface to draw on.
        scale: the number of pixels on the surface for each pixel of the image.
    """

    def __init__(self, pygame: Any, surface: Any, scale: int = 1) -> None:
        self._pygame, self.surface, self._scale = pygame, surface, scale

    def rectangle(self, color: str, x: float, y: float, width: float, height: float, radius: float = 0) -> None:
        """Draw a filled rectangle. The corners are rounded if `radius` is greater than 0."""
        box = [round(v * self._scale) for v in (x, y, x + width, y + height)]
        frame = box[0], box[1], box[2] - box[0], box[3] - box[1]
        self._pygame.draw.rect(self.surface, color, frame, border_radius=round(radius * self._scale))

    def circle(self, color: str, x: float, y: float, radius: float) -> None:
        """Draw a filled circle around a point."""
        self.ellipse(color, x, y, radius, radius)

    def ellipse(self, color: str, x: float, y: float, width: float, height: float) -> None:
        """Draw a filled ellipse around a point. `width` and `height` are the semi-axes."""
        box = [round(v * self._scale) for v in (x - width, y - height, 2 * width, 2 * height)]
        self._pygame.draw.ellipse(self.surface, color, box)

    def polygon(self, color: str, *points: tuple[float, float]) -> None:
        """Draw a filled polygon."""
        self._pygame.draw.polygon(self.surface, color, [(x * self._scale, y * self._scale) for x, y in points])

    def line(self, color: str, start: tuple[float, float], end: tuple[float, float], width: float) -> None:
        """Draw a line with round ends."""
        (x, y), (u, v) = start, end
        length = max(((u - x) ** 2 + (v - y) ** 2) ** 0.5, 1e-9)
        across = -(v - y) / length * width / 2, (u - x) / length * width / 2
        sides = [(p + s * across[0], q + s * across[1]) for p, q, s in ((x, y, 1), (u, v, 1), (u, v, -1), (x, y, -1))]
        self.polygon(color, *sides)
        for p, q in (start, end):
            self.circle(color, p, q, width / 2)

    def flag(self, colors: tuple[str, str, str], x: float, y: float, unit: float = 1) -> None:
        """Draw a flag around a point. `colors` are the colours of the ground, the pole and the flag."""
        ground, pole, flag = colors
        self.ellipse(ground, x, y + 19 * unit, 23 * unit, 8 * unit)
        self.line(pole, (x - 9 * unit, y + 19 * unit), (x - 9 * unit, y - 22 * unit), 3 * unit)
        corners = ((-8, -22), (19, -13), (-8, -3))
        self.polygon(flag, *[(x + across * unit, y + down * unit) for across, down in corners])

    def text(self, color: str, words: str, x: float, y: float, size: float, *, align: float = 0.5) -> None:
        """Draw text that is vertically centred on `y`.

        Args:
            color: the text colour.
            words: the text to draw.
            x: the horizontal position of the left end of the text if `align` is 0, of its middle if 0.5, or of its
                right end if 1.
            y: the vertical middle of the capital letters.
            size: the font size in pixels.
            align: the alignment from 0 (left) to 1 (right).
        """
        font = self._pygame.freetype.Font(None, size * self._scale)
        font.strong = True
        letters, box = font.render(words, color)
        height = font.get_rect("H").height
        place = x * self._scale - align * box.width, y * self._scale + height / 2 - font.get_rect(words).y
        self.surface.blit(letters, (round(place[0]), round(place[1])))

    def fine(self, width: int, height: int, draw: Callable[[Brush], Any]) -> Any:
        """Return a transparent surface on which `draw` has drawn with antialiasing."""
        large = self._pygame.Surface((width * FINE, height * FINE), self._pygame.SRCALPHA)
        draw(Brush(self._pygame, large, FINE))
        # With premultiplied alpha, the colours of transparent pixels have no effect when pixels are averaged.
        return self._pygame.transform.smoothscale(large.premul_alpha(), (width, height))

    def put(self, sprite: Any, x: float, y: float) -> None:
        """Draw a sprite that `fine` has returned, with its top left corner at the given position."""
        place = round(x * self._scale), round(y * self._scale)
        self.surface.blit(sprite, place, special_flags=self._pygame.BLEND_PREMULTIPLIED)


def _load_pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # hides the message that pygame prints
    try:
        import pygame
        import pygame.freetype
    except ImportError as exc:
        raise DependencyNotInstalled(
            'Rendering toy text environments requires pygame-ce; run: pip install "gymkernel-env-toy-text[render]"'
        ) from exc
    pygame.freetype.init()
    return pygame


def brush_on(surface: Any) -> Brush:
    """Return a brush for a surface that the caller has created."""
    return Brush(_load_pygame(), surface)


@functools.lru_cache(maxsize=8)
def _paint(painter: Painter) -> tuple[Any, dict[Any, Any]]:
    """Return the drawn board and pieces. They are never modified, because equal painters share them."""
    pygame = _load_pygame()
    brush = Brush(pygame, pygame.Surface(painter.size))  # needs neither a display nor a video driver
    brush.put(brush.fine(*painter.size, painter.board), 0, 0)
    return brush.surface, painter.sprites(brush)


class Screen:
    """A renderer that returns scenes as arrays or shows them in a window.

    An image depends only on the scene. It does not depend on random numbers or the time. A copied or unpickled screen
    has no window.

    Args:
        painter: the painter that draws the scenes.
    """

    def __init__(self, painter: Painter) -> None:
        self._pygame, self._painter = _load_pygame(), painter
        self._board, self._sprites = _paint(painter)
        self._canvas = self._board.copy()
        self._brush = Brush(self._pygame, self._canvas)
        self._window: Any = None
        self._shown = 0.0

    def __reduce__(self) -> tuple[type[Screen], tuple[Painter]]:
        return Screen, (self._painter,)

    def picture(self, *scene: Any) -> NDArray[np.uint8]:
        """Draw a scene, and return a new uint8 array of shape (height, width, 3)."""
        return np.ascontiguousarray(self._pygame.surfarray.pixels3d(self._draw(*scene)).swapaxes(0, 1))

    def show(self, fps: int, *scene: Any) -> None:
        """Show a scene in a window, after the previous scene has been visible for the duration of a frame."""
        if self._window is None:
            self._pygame.display.init()
            self._pygame.display.set_caption(self._painter.title)
            self._window, self._shown = self._pygame.display.set_mode(self._painter.size), time.monotonic()
        self._window.blit(self._draw(*scene), (0, 0))
        self._pygame.event.pump()
        self._pygame.display.flip()
        ends = self._shown + (1 / fps if fps else 0.0)  # pygame's Clock would leave a thread running
        time.sleep(max(0.0, ends - time.monotonic()))
        self._shown = time.monotonic()

    def close(self) -> None:
        """Close the window."""
        if self._window is not None:
            self._pygame.display.quit()
            self._window = None

    def _draw(self, *scene: Any) -> Any:
        self._canvas.blit(self._board, (0, 0))
        self._painter.pieces(self._brush, self._sprites, *scene)
        return self._canvas
