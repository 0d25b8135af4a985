"""Functions that load pygame-ce, show surfaces in a window and convert surfaces to arrays."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.error import DependencyNotInstalled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Window", "fill", "load_pygame", "to_pixels"]

Colour = tuple[int, int, int]
HIDDEN = "PYGAME_HIDE_SUPPORT_PROMPT"
"""The environment variable that suppresses the message that pygame prints when it is imported."""


def load_pygame() -> Any:
    """Import pygame-ce without the message that it prints, and without changing the environment variables."""
    was_set = HIDDEN in os.environ
    os.environ.setdefault(HIDDEN, "1")
    try:
        import pygame
        import pygame.gfxdraw
    except ImportError as exc:
        raise DependencyNotInstalled("Drawing needs pygame-ce; run: pip install pygame-ce") from exc
    finally:
        if not was_set:
            del os.environ[HIDDEN]
    return pygame


def fill(pygame: Any, surface: Any, points: Sequence[tuple[float, float]], colour: Any) -> None:
    """Draw a filled polygon with smooth edges."""
    pygame.draw.polygon(surface, colour, points)
    pygame.gfxdraw.aapolygon(surface, points, colour)


def to_pixels(surface: Any) -> NDArray[np.uint8]:
    """Copy a surface to a uint8 array of shape (height, width, 3)."""
    pixels: NDArray[np.uint8] = np.array(load_pygame().surfarray.pixels3d(surface))
    return np.transpose(pixels, axes=(1, 0, 2))


class Window:
    """A window that shows pygame surfaces at a given frame rate.

    Args:
        size: the width and the height in pixels.
        title: the title of the window.
    """

    def __init__(self, size: tuple[int, int], title: str) -> None:
        self.pygame = load_pygame()
        self.pygame.display.init()
        self.pygame.display.set_caption(title)
        self.screen = self.pygame.display.set_mode(size)
        self.clock = self.pygame.time.Clock()

    def show(self, surface: Any, fps: int, offset: float = 0.0) -> None:
        """Show a surface, moved to the left by `offset` pixels, and wait for the duration of one frame."""
        self.screen.fill(0)
        self.screen.blit(surface, (-offset, 0))
        self.pygame.event.pump()
        self.clock.tick(fps)
        self.pygame.display.flip()

    def close(self) -> None:
        """Close the window."""
        self.pygame.display.quit()
