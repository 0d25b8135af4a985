"""A check that Stable-Baselines3 supports an environment's spaces.

Without the check, Stable-Baselines3 would raise its own errors far from their cause.
"""

from __future__ import annotations

from typing import Any

from gymnasium import spaces

__all__ = ["refuse_others"]

SIMPLE = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)


def refuse_others(observation_space: Any, action_space: Any) -> None:
    """Raise a TypeError for spaces that no Stable-Baselines3 algorithm supports.

    Args:
        observation_space: the observation space of one environment.
        action_space: the action space of one environment.

    >>> refuse_others(spaces.Box(0, 1), spaces.Tuple([spaces.Discrete(2)]))
    Traceback (most recent call last):
    TypeError: Stable-Baselines3 supports the action spaces Box, Discrete, MultiDiscrete and MultiBinary, but not ...
    """
    if not isinstance(action_space, SIMPLE):
        raise TypeError(
            "Stable-Baselines3 supports the action spaces Box, Discrete, MultiDiscrete and MultiBinary, but not "
            f"{action_space}; wrap the environments in TransformAction, which changes the action space"
        )
    nested = isinstance(observation_space, spaces.Dict)
    parts = observation_space.spaces if nested else {"": observation_space}
    others = {key: part for key, part in parts.items() if not isinstance(part, SIMPLE)}
    for key, part in others.items():
        kept = [name for name in parts if name not in others]
        remedy = f"FilterObservation(env, {kept}), which removes the other parts, or in " if kept else ""
        raise TypeError(
            "Stable-Baselines3 supports the observation spaces Box, Discrete, MultiDiscrete and MultiBinary, or a Dict "
            f"of these, but not {part}{f' under {key!r}' if nested else ''}; wrap the environments in {remedy}"
            "FlattenObservation or TransformObservation"
        )
