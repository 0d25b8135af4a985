"""Which spaces Stable-Baselines3 can learn with, told before it fails far from the cause."""

from __future__ import annotations

from typing import Any

from gymnasium import spaces

__all__ = ["refuse_others"]

SIMPLE = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)


def refuse_others(observation_space: Any, action_space: Any) -> None:
    """Raise a TypeError for spaces that no algorithm of Stable-Baselines3 takes.

    >>> refuse_others(spaces.Box(0, 1), spaces.Tuple([spaces.Discrete(2)]))
    Traceback (most recent call last):
    TypeError: Stable-Baselines3 acts in Box, Discrete, MultiDiscrete or MultiBinary, not in ...
    """
    if not isinstance(action_space, SIMPLE):
        raise TypeError(
            f"Stable-Baselines3 acts in Box, Discrete, MultiDiscrete or MultiBinary, not in {action_space}; "
            "wrap the environments in TransformAction, which changes the action space"
        )
    parts = (
        observation_space.spaces.items() if isinstance(observation_space, spaces.Dict) else [("", observation_space)]
    )
    for key, part in parts:
        if not isinstance(part, SIMPLE):
            where = f" under {key!r}" if key else ""
            raise TypeError(
                f"Stable-Baselines3 observes Box, Discrete, MultiDiscrete and MultiBinary, or a Dict of those, not "
                f"{part}{where}; wrap the environments in FlattenObservation or TransformObservation"
            )
