"""`play`: the loop in which a human acts."""

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
    """Act in an environment with the keyboard, in a window, until it is closed or ESC is pressed.

    An episode that ends is followed by the next. The environment is closed at the end, also through an exception.

    Args:
        env: made with `render_mode="rgb_array"`.
        transpose: whether frames have the height in front.
        fps: steps per second; None for `metadata["render_fps"]`, else 30.
        zoom: factor of the window over the frames, above 0.
        callback: called after every step with (obs_t, obs_tp1, action, rew, terminated, truncated, info), and, of a
            `PlayPlot`, with the same.
        keys_to_action: actions by keys: a string of characters that are pressed together, or a tuple of characters or
            codes (`pygame.K_LEFT`); None asks the environment's `get_keys_to_action`.
        seed: of the first reset.
        noop: the action while no keys, or keys without a meaning, are pressed.
        wait_on_player: whether a step waits until a key is pressed.

    Raises:
        ValueError: the render mode is another one, a key is for an action that the environment does not have, or `zoom`
            is not above 0.
        MissingKeysToAction: no keys are given, and the environment has none.
        TypeError: a key that is none, or keys in no mapping.
        gymkernel.error.Error: there is no screen.
    """
    try:
        observation, _ = env.reset(seed=seed)
        game = PlayableGame(env, actions_of(env, keys_to_action), zoom)
        if noop not in env.action_space:
            logger.warn(f"noop={noop!r} is no action of {env.action_space}; pass one that does the least")
        pace, clock = fps or env.metadata.get("render_fps", 30), pygame.time.Clock()
        done = False
        while game.running:
            if done:
                observation, _ = env.reset()
                done = False
            elif not wait_on_player or game.pressed_keys:
                action, before = game.action(noop), observation
                observation, reward, terminated, truncated, info = env.step(action)
                done = bool(terminated or truncated)
                if callback is not None:
                    callback(before, observation, action, reward, terminated, truncated, info)
            display_arr(game.screen, frame_of(env), game.video_size, transpose)
            pygame.display.flip()
            for event in pygame.event.get():
                game.process_event(event)
            clock.tick(pace)
    finally:
        env.close()
        pygame.display.quit()
