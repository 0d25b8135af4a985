"""The window in which `HumanRendering` shows frames, and functions that prepare frames for display."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # otherwise, importing pygame prints a message
import pygame

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Picture = NDArray[np.uint8]

__all__ = ["MODES", "Showing", "Window", "check", "grid", "picture", "tile"]

MODES: Final = ("rgb_array", "rgb_array_list", "depth_array", "depth_array_list")
"""The render modes that return frames for the window."""


class Window:
    """A window that opens when the first image is shown and has the size of this image.

    Args:
        fps: the maximum number of images per second. If necessary, `show` waits.
    """

    def __init__(self, fps: float) -> None:
        self.fps = fps
        self.surface: Any = None
        self.clock: Any = None

    def show(self, shown: Picture) -> None:
        """Show an image of shape (height, width, 3)."""
        size = shown.shape[1], shown.shape[0]
        if self.surface is None:
            pygame.display.init()
            self.clock = pygame.time.Clock()
        if self.surface is None or self.surface.get_size() != size:
            self.surface = pygame.display.set_mode(size)
        pygame.surfarray.blit_array(self.surface, shown.transpose(1, 0, 2))
        pygame.event.pump()
        self.clock.tick(self.fps)
        pygame.display.flip()

    @property
    def size(self) -> tuple[int, int] | None:
        """The (width, height) of the window, or None if no image has been shown yet."""
        return None if self.surface is None else self.surface.get_size()

    def close(self) -> None:
        """Close the window. It opens again when another image is shown."""
        if self.surface is not None:
            self.surface = None
            pygame.display.quit()

    def __deepcopy__(self, memo: Any) -> Window:
        return Window(self.fps)

    def __reduce__(self) -> Any:
        return Window, (self.fps,)


class Showing:
    """The base class of both `HumanRendering` wrappers. It manages the window and provides the render mode "human"."""

    ACCEPTED_RENDER_MODES = list(MODES)  # noqa: RUF012 - as in Gymnasium

    _window: Window
    window = property(
        lambda self: self._window.surface, doc="The pygame Surface of the window, or None before the first frame."
    )
    clock = property(
        lambda self: self._window.clock,
        doc="The pygame Clock that limits the frame rate, or None before the first frame.",
    )
    render_mode = property(lambda _: "human", doc="Always human.")

    def render(self) -> None:
        """Do nothing, because all frames have already been shown."""


def check(env: Any) -> dict[str, Any]:
    """Check that the frames of an environment can be shown, and return the metadata of the wrapper."""
    if env.render_mode not in MODES:
        raise ValueError(f"HumanRendering expects one of the render modes {', '.join(MODES)}, got {env.render_mode!r}")
    if "render_fps" not in env.metadata:
        raise ValueError("HumanRendering expects the environment to set metadata['render_fps']")
    metadata = dict(env.metadata)
    modes = list(metadata.get("render_modes", ()))
    metadata["render_modes"] = modes if "human" in modes else [*modes, "human"]
    return metadata


def picture(frame: Any) -> Picture:
    """Convert a rendered frame to an RGB image. If the frame is a depth array, closer points are darker."""
    if isinstance(frame, list) and frame:  # in this render mode, the environment returns a list of frames
        frame = frame[-1]
    if not isinstance(frame, np.ndarray) or frame.ndim not in {2, 3} or (frame.ndim == 3 and frame.shape[2] != 3):
        received = f"an array of {frame.shape}" if isinstance(frame, np.ndarray) else f"{type(frame).__name__}"
        raise TypeError(f"HumanRendering expects frames of shape (height, width, 3) or (height, width), got {received}")
    if frame.ndim == 3:
        return frame.astype(np.uint8, copy=False)
    finite = np.isfinite(frame)
    low, high = (frame[finite].min(), frame[finite].max()) if finite.any() else (0, 0)
    grey = (
        255 * (np.where(finite, frame, high).astype(np.float64) - low) / (high - low or 1)
    )  # infinite depths have the same brightness as the largest finite depth
    return np.repeat(grey.astype(np.uint8)[..., None], 3, axis=2)


def grid(number: int, frame: tuple[int, int], screen: tuple[int, int]) -> tuple[int, int]:
    """Return the (rows, columns) of the grid that leaves the most space for each frame of the given (width, height)."""
    rows = columns = 1
    while rows * columns < number:
        high, wide = rows * frame[1] / screen[1], columns * frame[0] / screen[0]
        rows, columns = rows + (high <= wide), columns + (high >= wide)
    return rows, columns


def tile(frames: Sequence[Any], screen: tuple[int, int], columns: int, size: tuple[int, int]) -> Picture:
    """Scale frames to the given (width, height), and arrange them in a grid on a screen of the given size."""
    canvas = pygame.Surface(screen)
    for i, frame in enumerate(frames):
        surface = pygame.surfarray.make_surface(picture(frame).transpose(1, 0, 2))
        canvas.blit(pygame.transform.smoothscale(surface, size), (i % columns * size[0], i // columns * size[1]))
    return np.ascontiguousarray(pygame.surfarray.array3d(canvas).transpose(1, 0, 2))
