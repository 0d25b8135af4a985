"""The `PlayableGame` class, which shows an environment in a window, and the function `play`, which runs the game."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pygame

from gymkernel import logger
from gymkernel.error import Error
from gymkernel_tool_play.keys import actions_of, keys_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PlayableGame", "display_arr", "frame_of", "open_display", "play"]

INVISIBLE_DRIVERS: Final = {"dummy", "offscreen"}
"""The video drivers that SDL falls back to if no display is available."""


def open_display() -> None:
    """Initialise pygame's display, which is required to open windows and to look up the names of keys.

    Raises:
        gymkernel.error.Error: if no display is available, unless the user requested a video driver that does not need
            one.
    """
    reason = "no display was found"
    try:
        pygame.display.init()
    except pygame.error as exc:
        reason = str(exc)
    else:
        if (
            pygame.display.get_driver() not in INVISIBLE_DRIVERS
            or {"SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"} & os.environ.keys()
        ):
            return
        pygame.display.quit()
    raise Error(
        f"play opens a window, but there is no screen here ({reason}); set DISPLAY, create images and videos with "
        "`gymkernel render`, or set SDL_VIDEODRIVER=dummy to play without a visible window"
    )


def display_arr(screen: pygame.Surface, arr: NDArray[Any], video_size: tuple[int, int], transpose: bool) -> None:
    """Draw an array in the middle of a surface, and fill the rest of the surface with black.

    Args:
        screen: the surface to draw on.
        arr: an image of shape (height, width, 3), or (width, height, 3) if `transpose` is False. If the array is not
            uint8, its values are scaled to the range of uint8.
        video_size: the width and height of the image on the screen.
        transpose: whether the first axis of the array is the height.
    """
    picture = np.asarray(arr)
    if picture.dtype != np.uint8:
        low, high = float(picture.min()), float(picture.max())
        picture = (255.0 * (picture - low) / max(high - low, 1e-9)).astype(np.uint8)
    if picture.ndim == 2:
        picture = np.repeat(picture[..., None], 3, axis=2)
    surface = pygame.surfarray.make_surface(picture[..., :3].swapaxes(0, 1) if transpose else picture[..., :3])
    width, height = screen.get_size()
    screen.fill((0, 0, 0))
    screen.blit(
        pygame.transform.scale(surface, video_size), ((width - video_size[0]) // 2, (height - video_size[1]) // 2)
    )


class PlayableGame:
    """An environment that is shown in a window, and the state of the keyboard.

    Args:
        env: an environment with render mode "rgb_array" or "rgb_array_list".
        keys_to_action: the action for each key, as in `play`. The actions are not checked against the action space.
        zoom: the factor, above 0, by which frames are enlarged in the window.

    Attributes:
        keys_to_action: maps the sorted codes of keys that are pressed together to an action.
        relevant_keys: the codes of all keys that have an action, either alone or together with other keys.
        pressed_keys: the codes of the relevant keys that are currently pressed.
        running: True until the window is closed or ESC is pressed.
        original_video_size: the original width and height of the frames in the window.
        video_size: the current width and height of the frames in the window. The aspect ratio never changes.

    Raises:
        ValueError: if the environment has a different render mode, or `zoom` is not above 0.
        MissingKeysToAction: if neither the caller nor the environment defines keys.
        gymkernel.error.Error: if no display is available.
    """

    def __init__(self, env: Any, keys_to_action: Mapping[Any, Any] | None = None, zoom: float | None = None) -> None:
        if env.render_mode not in {"rgb_array", "rgb_array_list"}:
            raise ValueError(
                "PlayableGame wrapper works only with rgb_array and rgb_array_list render modes, "
                f"got {env.render_mode!r}; pass render_mode='rgb_array' to make"
            )
        if zoom is not None and not zoom > 0:
            raise ValueError(f"Expected zoom to be a number above 0, got {zoom!r}")
        self.env = env
        self.keys_to_action = keys_of(env, keys_to_action)
        self.relevant_keys = {code for codes in self.keys_to_action for code in codes}
        self.pressed_keys: set[int] = set()
        self.running = True
        height, width = (int(length * (zoom or 1)) for length in frame_of(env).shape[:2])
        self.video_size = self.original_video_size = width, height
        open_display()
        self.screen = pygame.display.set_mode(self.video_size, pygame.RESIZABLE)

    def action(self, noop: Any) -> Any:
        """Return the action for the pressed keys, or `noop` if this combination of keys has no action.

        Args:
            noop: an element of the action space.
        """
        return self.keys_to_action.get(tuple(sorted(self.pressed_keys)), noop)

    def process_event(self, event: pygame.event.Event) -> None:
        """Process an event, such as a key press or the closing of the window.

        Args:
            event: an event from pygame's event queue.
        """
        if event.type == pygame.KEYDOWN:
            if event.key in self.relevant_keys:
                self.pressed_keys.add(event.key)
            elif event.key == pygame.K_ESCAPE:
                self.running = False
        elif event.type == pygame.KEYUP:
            self.pressed_keys.discard(event.key)
        elif event.type == pygame.QUIT:
            self.running = False
        elif event.type == pygame.WINDOWRESIZED:
            width, height = self.original_video_size
            scale = min(event.x / width, event.y / height)
            self.video_size = round(scale * width), round(scale * height)


def frame_of(env: Any) -> Any:
    """Render the environment and return the frame. If `render` returns several frames, return the last one.

    Raises:
        ValueError: if the result is not an image.
    """
    rendered = env.render()
    frame = rendered[-1] if isinstance(rendered, list) and rendered else rendered
    if not isinstance(frame, np.ndarray) or frame.ndim not in {2, 3}:
        raise ValueError(f"Expected render to return an array of shape (height, width, 3), got {type(frame).__name__}")
    return frame


def play(
    env: Any,
    transpose: bool = True,
    fps: int | None = None,
    zoom: float | None = None,
    callback: Callable[..., Any] | None = None,
    keys_to_action: Mapping[Any, Any] | None = None,
    seed: int | None = None,
    noop: Any = 0,
    wait_on_player: bool = False,
) -> None:
    """Play an environment with the keyboard in a window until the window is closed or ESC is pressed.

    When an episode ends, the next episode begins. The environment is closed at the end, even after an exception.

    Args:
        env: an environment that was created with `render_mode="rgb_array"`.
        transpose: whether the first axis of the frames is the height.
        fps: the number of steps per second; None for `metadata["render_fps"]`, or 30 if the metadata has no value.
        zoom: the factor, above 0, by which frames are enlarged in the window; None for the original size.
        callback: a function that is called after every step with (obs_t, obs_tp1, action, rew, terminated, truncated,
            info), such as the `callback` method of a `PlayPlot`; None for no function.
        keys_to_action: the action for each key. A key is a string of characters that are pressed together, or a tuple
            of characters or codes (`pygame.K_LEFT`). None to use the environment's `get_keys_to_action` method.
        seed: the seed of the first reset; None for a random seed.
        noop: the action to take while no key with an action is pressed.
        wait_on_player: whether to step only while a key is pressed.

    Raises:
        ValueError: if the environment has a different render mode, the action space does not contain an action, or
            `zoom` is not above 0.
        MissingKeysToAction: if neither the caller nor the environment defines keys.
        TypeError: if a key is neither a character nor a code, or `keys_to_action` is not a mapping.
        gymkernel.error.Error: if no display is available.
    """
    try:
        observation, _ = env.reset(seed=seed)
        game = PlayableGame(env, actions_of(env, keys_to_action), zoom)
        if noop not in env.action_space:
            logger.warn(f"noop={noop!r} is not in {env.action_space}; pass the action with the least effect")
        pace, clock = fps or env.metadata.get("render_fps", 30), pygame.time.Clock()
        done = False
        while game.running:
            if done:
                observation, _ = env.reset()
                done = False
            elif not wait_on_player or game.pressed_keys:
                action, previous = game.action(noop), observation
                observation, reward, terminated, truncated, info = env.step(action)
                done = bool(terminated or truncated)
                if callback is not None:
                    callback(previous, observation, action, reward, terminated, truncated, info)
            display_arr(game.screen, frame_of(env), game.video_size, transpose)
            pygame.display.flip()
            for event in pygame.event.get():
                game.process_event(event)
            clock.tick(pace)
    finally:
        env.close()
        pygame.display.quit()
