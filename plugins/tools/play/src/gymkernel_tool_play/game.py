"""`PlayableGame`: the window, and which keys are pressed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pygame

from gymkernel.error import Error
from gymkernel_tool_play.keys import keys_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PlayableGame", "display_arr", "frame_of", "open_display"]

UNSEEN: Final = {"dummy", "offscreen"}
"""Video drivers that SDL falls back to where there is no screen."""


def open_display() -> None:
    """Start what windows and the names of keys need.

    Raises:
        gymkernel.error.Error: there is no screen, and nobody asked for a video driver without one.
    """
    reason = "no display was found"
    try:
        pygame.display.init()
    except pygame.error as exc:
        reason = str(exc)
    else:
        if pygame.display.get_driver() not in UNSEEN or {"SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"} & os.environ.keys():
            return
        pygame.display.quit()
    raise Error(
        f"play opens a window, and there is no screen here ({reason}); set DISPLAY, make pictures and videos with "
        "`gymkernel render`, or set SDL_VIDEODRIVER=dummy to play unseen"
    )


def display_arr(screen: pygame.Surface, arr: NDArray[Any], video_size: tuple[int, int], transpose: bool) -> None:
    """Draw an array on a surface.

    Args:
        screen: where.
        arr: of (height, width, 3), or (width, height, 3) where not `transpose`; what is not uint8 is stretched to it.
        video_size: width and height on the screen.
        transpose: whether the first axis of the array is the height.
    """
    picture = np.asarray(arr)
    if picture.dtype != np.uint8:
        low, high = float(picture.min()), float(picture.max())
        picture = (255.0 * (picture - low) / max(high - low, 1e-9)).astype(np.uint8)
    if picture.ndim == 2:
        picture = np.repeat(picture[..., None], 3, axis=2)
    surface = pygame.surfarray.make_surface(picture[..., :3].swapaxes(0, 1) if transpose else picture[..., :3])
    screen.blit(pygame.transform.scale(surface, video_size), (0, 0))


class PlayableGame:
    """An environment in a window, and the keys that are pressed.

    Args:
        env: with render mode "rgb_array" or "rgb_array_list".
        keys_to_action: see `play`.
        zoom: factor of the window over the frames.

    Attributes:
        keys_to_action: actions by the sorted codes of keys that are pressed together.
        relevant_keys: codes that mean something.
        pressed_keys: those of them that are pressed.
        running: False once the window was closed, or ESC pressed.
        video_size: width and height of the window.

    Raises:
        ValueError: another render mode.
        MissingKeysToAction: no keys are given, and the environment has none.
        gymkernel.error.Error: there is no screen.
    """

    def __init__(self, env: Any, keys_to_action: Mapping[Any, Any] | None = None, zoom: float | None = None) -> None:
        if env.render_mode not in {"rgb_array", "rgb_array_list"}:
            raise ValueError(
                f"play expects an environment with render_mode='rgb_array', got {env.render_mode!r}; pass it to make"
            )
        self.env = env
        self.keys_to_action = keys_of(env, keys_to_action)
        self.relevant_keys = {code for codes in self.keys_to_action for code in codes}
        self.pressed_keys: list[int] = []
        self.running = True
        self.video_size = self._video_size(zoom)
        open_display()
        self.screen = pygame.display.set_mode(self.video_size)

    def _video_size(self, zoom: float | None) -> tuple[int, int]:
        height, width = frame_of(self.env).shape[:2]
        return (width, height) if zoom is None else (int(width * zoom), int(height * zoom))

    def action(self, noop: Any) -> Any:
        """The action of the keys that are pressed, `noop` where they mean none together.

        Args:
            noop: an element of the action space.
        """
        return self.keys_to_action.get(tuple(sorted(self.pressed_keys)), noop)

    def process_event(self, event: pygame.event.Event) -> None:
        """Take in one event: keys that go down and up, ESC and the end of the window.

        Args:
            event: an event of pygame's queue.
        """
        if event.type == pygame.KEYDOWN:
            if event.key in self.relevant_keys and event.key not in self.pressed_keys:
                self.pressed_keys.append(event.key)
            elif event.key == pygame.K_ESCAPE:
                self.running = False
        elif event.type == pygame.KEYUP and event.key in self.pressed_keys:
            self.pressed_keys.remove(event.key)
        elif event.type == pygame.QUIT:
            self.running = False
        elif event.type == pygame.WINDOWRESIZED:
            self.video_size = event.x, event.y
            self.screen = pygame.display.set_mode(self.video_size)


def frame_of(env: Any) -> Any:
    """What `render` returns, the last frame of several.

    Raises:
        ValueError: it is no picture.
    """
    rendered = env.render()
    frame = rendered[-1] if isinstance(rendered, list) and rendered else rendered
    if not isinstance(frame, np.ndarray) or frame.ndim not in {2, 3}:
        raise ValueError(f"Expected render to return an array of (height, width, 3), got {type(frame).__name__}")
    return frame
