"""Pictures of a cart and its pole, drawn by pygame-ce, which is imported at the first picture."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import DependencyNotInstalled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from gymkernel_env_classic_control.mechanics import Mechanics

__all__ = ["Renderer"]

BACKGROUND, GROUND, TRACK = "#f7f8fa", "#e4e7ec", "#4a4f57"
CART, POLE, HINGE = "#2d5f8b", "#c98a3d", "#20262e"


def _load_pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # or the import would print a greeting
    try:
        import pygame
    except ImportError as exc:
        raise DependencyNotInstalled(
            'Drawing CartPole needs pygame-ce; run: pip install "gymkernel-env-classic-control[render]"'
        ) from exc
    return pygame


class Renderer:
    """Draws states; holds the surface it draws on and, for "human", the window.

    Drawing reads a state and nothing else: no random number, no time. A copy, also by pickle, begins without a window.

    Args:
        width: of the picture, in pixels.
        height: likewise.
    """

    def __init__(self, width: int, height: int) -> None:
        self._pygame = _load_pygame()
        self.size = width, height
        self._canvas = self._pygame.Surface(self.size)  # needs no display, nor a video driver
        self._window: Any = None
        self._clock: Any = None

    def __reduce__(self) -> tuple[type[Renderer], tuple[int, int]]:
        return Renderer, self.size

    def picture(self, mechanics: Mechanics, x: float, theta: float) -> NDArray[np.uint8]:
        """The state as uint8 of (height, width, 3), in memory of its own.

        Args:
            mechanics: the lengths.
            x: position of the cart in m.
            theta: angle of the pole in rad.
        """
        return np.ascontiguousarray(self._pygame.surfarray.pixels3d(self._drawn(mechanics, x, theta)).swapaxes(0, 1))

    def show(self, mechanics: Mechanics, x: float, theta: float, fps: int) -> None:
        """Show the state in a window, and wait until the last one was seen for a frame's time."""
        if self._window is None:
            self._pygame.display.init()
            self._pygame.display.set_caption("CartPole")
            self._window, self._clock = self._pygame.display.set_mode(self.size), self._pygame.time.Clock()
        self._window.blit(self._drawn(mechanics, x, theta), (0, 0))
        self._pygame.event.pump()
        self._pygame.display.flip()
        self._clock.tick(fps)

    def close(self) -> None:
        """Close the window."""
        if self._window is not None:
            self._pygame.display.quit()
            self._window = None

    def _drawn(self, mechanics: Mechanics, x: float, theta: float) -> Any:
        """Draw in pixels, y downwards. The picture's edges are the limits of an episode."""
        canvas, (width, height) = self._canvas, self.size
        metre = width / (2 * mechanics.x_threshold)
        cart_width, cart_height, pole_width = width / 12, height * 0.075, width / 60
        rail = 0.75 * height
        middle = width / 2 + x * metre
        hinge = self._pygame.Vector2(middle, rail - cart_height / 4)
        along = self._pygame.Vector2(math.sin(theta), -math.cos(theta))
        across = self._pygame.Vector2(-along.y, along.x) * (pole_width / 2)
        foot, top = hinge - along * (pole_width / 2), hinge + along * (2 * mechanics.length * metre)
        canvas.fill(BACKGROUND)
        self._pygame.draw.rect(canvas, GROUND, (0, rail, width, height - rail))
        self._pygame.draw.line(canvas, TRACK, (0, rail), (width, rail), 2)
        box = (middle - cart_width / 2, rail - cart_height / 2, cart_width, cart_height)
        self._pygame.draw.rect(canvas, CART, box, border_radius=3)
        pole = foot - across, foot + across, top + across, top - across
        self._pygame.draw.polygon(canvas, POLE, pole)
        self._pygame.draw.aalines(canvas, POLE, closed=True, points=pole)
        self._pygame.draw.aacircle(canvas, HINGE, hinge, pole_width / 3)
        return canvas
