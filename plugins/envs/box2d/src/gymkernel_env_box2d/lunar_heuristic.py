"""A controller that lands LunarLander's spacecraft, and a function that demonstrates the controller."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["demo_heuristic_lander", "heuristic"]


def heuristic(env: Any, s: Any) -> Any:
    """Return an action that flies the lander towards the pad.

    Two proportional-derivative controllers control the angle and the height, based on the observation.

    Args:
        env: the environment, or a wrapper around it. Its `continuous` attribute determines the type of the action.
        s: the observation of shape (8,).
    """
    x, y, x_speed, y_speed, angle, turning, left, right = s
    if left or right:
        turn, lift = 0.0, -y_speed * 0.5
    else:
        target = min(0.4, max(-0.4, x * 0.5 + x_speed * 1.0))
        turn = (target - angle) * 0.5 - turning * 1.0
        lift = (0.55 * abs(x) - y) * 0.5 - y_speed * 0.5
    if env.unwrapped.continuous:
        return np.clip(np.array([lift * 20 - 1, -turn * 20]), -1, 1)
    if lift > abs(turn) and lift > 0.05:
        return 2
    return 3 if turn < -0.05 else 1 if turn > 0.05 else 0


def demo_heuristic_lander(env: Any, seed: int | None = None, render: bool = False) -> float:
    """Run an episode with the controller, print its progress, and return the sum of the rewards.

    Args:
        env: the environment.
        seed: the seed of the episode.
        render: whether to call `render` after each step and to close the environment at the end.
    """
    observation, _ = env.reset(seed=seed)
    total, steps, done = 0.0, 0, False
    while not done:
        observation, reward, terminated, truncated, _ = env.step(heuristic(env, observation))
        total += reward
        done = terminated or truncated
        if render and env.render() is False:
            break
        if steps % 20 == 0 or done:
            shown = " ".join(f"{number:+0.2f}" for number in observation)
            print(f"step {steps}: observation {shown}, sum of rewards {total:+0.2f}")  # noqa: T201 - the purpose of the function
        steps += 1
    if render:
        env.close()
    return total
