"""The function `play`, in which a human chooses the actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pygame

from gymkernel import logger
from gymkernel_tool_play.game import PlayableGame, display_arr, frame_of
from gymkernel_tool_play.keys import actions_of

__all__ = ["play"]


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
