"""Functions that return a PettingZoo environment's agents and spaces, and add action masks to infos."""

from __future__ import annotations

from typing import Any

from gymkernel_bridge_gymnasium.conversion import from_gymnasium

__all__ = ["agents_of", "is_aec", "is_parallel", "space_of", "with_action_mask"]


def is_aec(env: Any) -> bool:
    """Return whether an object is an AEC environment, whose agents act in turn.

    Args:
        env: an object of any class.
    """
    return not isinstance(env, type) and all(callable(getattr(env, name, None)) for name in ("agent_iter", "last"))


def is_parallel(env: Any) -> bool:
    """Return whether an object is a parallel environment, whose agents act at the same time.

    Args:
        env: an object of any class.
    """
    methods = ("reset", "step", "observation_space", "action_space")
    return not isinstance(env, type) and not is_aec(env) and all(callable(getattr(env, name, None)) for name in methods)


def agents_of(env: Any) -> list[Any]:
    """Return the possible agents of an environment.

    Args:
        env: a parallel or AEC environment.

    Raises:
        ValueError: if the environment does not define its possible agents.
    """
    agents = list(getattr(env, "possible_agents", None) or ())
    if not agents:
        raise ValueError(f"Expected {env} to define possible_agents, because gymkernel's spaces must not change later")
    return agents


def space_of(env: Any, kind: str, agent: Any) -> Any:
    """Return an agent's space, converted to a gymkernel space.

    Args:
        env: a parallel or AEC environment.
        kind: which space to return, "observation" or "action".
        agent: one of the environment's possible agents.
    """
    return from_gymnasium(getattr(env, f"{kind}_space")(agent))


def with_action_mask(observation: Any, info: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of an agent's info that also contains the action mask from the observation, if there is one.

    Args:
        observation: the agent's observation, which is a dictionary with the key "action_mask" in many board games.
        info: the agent's info, which is not modified.

    >>> with_action_mask({"observation": 0, "action_mask": [1, 0]}, {"score": 2})
    {'score': 2, 'action_mask': [1, 0]}
    """
    if isinstance(observation, dict) and "action_mask" in observation and "action_mask" not in info:
        return {**info, "action_mask": observation["action_mask"]}
    return dict(info)
