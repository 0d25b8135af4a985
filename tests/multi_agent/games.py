"""The games of PettingZoo that the tests in this folder play, and functions that play them without gymkernel."""

from __future__ import annotations

from typing import Any

import numpy as np

PARALLEL = [
    "butterfly/pistonball_v6",
    "butterfly/cooperative_pong_v6",
    "butterfly/knights_archers_zombies_v11",
    "classic/rps_v2",
    "mpe/simple_spread_v3",
]
"""Games whose agents act at the same time and have equal spaces."""
TURNS = ["classic/tictactoe_v3", "classic/connect_four_v3"]
"""Games whose agents act in turn."""


def last_valid(observation: Any, info: dict[str, Any]) -> Any:
    """Return the last valid action, as a policy that needs no random numbers."""
    return np.flatnonzero(observation["action_mask"])[-1]


def play_turns(env: Any, learner: str, actions: Any, steps: int) -> list[tuple[Any, ...]]:
    """Play a game with turns, and record what the learner receives before each of its actions and at each end.

    Args:
        env: an AEC environment, which has been reset.
        learner: the agent for which results are recorded.
        actions: a function that chooses the learner's action from an observation.
        steps: the number of actions of the learner to play.
    """
    seen: list[tuple[Any, ...]] = []
    taken = 0
    while taken < steps:
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, _ = env.last()
            is_done = terminated or truncated
            if agent == learner:
                seen.append((observation, reward, terminated, truncated))
                taken += not is_done
            choose = actions if agent == learner else last_valid
            env.step(None if is_done else choose(observation, {}))
            if agent == learner and is_done:
                break
            if taken == steps:
                return seen
        env.reset()
    return seen
