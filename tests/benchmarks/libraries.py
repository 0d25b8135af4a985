"""Define the same environments and spaces for both libraries."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

import gymkernel

__all__ = ["IMAGE", "LIBRARIES", "VECTOR", "has", "nested", "noop", "noop_in", "observations"]

LIBRARIES: tuple[Any, Any] = (gymkernel, gymnasium)
VECTOR = "Box(4)"
IMAGE = "Box(84, 84, 4) uint8"
NESTED = "nested Dict"


def has(name: str) -> bool:
    """Return whether gymkernel's space with a given name is installed."""
    try:
        getattr(gymkernel.spaces, name)
    except (ImportError, AttributeError):
        return False
    return True


def nested(library: Any) -> Any:
    """Return a Dict space with three levels."""
    spaces = library.spaces
    inner = spaces.Dict({"near": spaces.Box(0, 1, (4,)), "far": spaces.Box(-1, 1, (8,))})
    return spaces.Dict(
        {
            "image": spaces.Box(0, 255, (8, 8), np.uint8),
            "agent": spaces.Dict({"pose": spaces.Box(-1, 1, (6,)), "sensors": inner}),
            "mode": spaces.Discrete(5),
        }
    )


def observations(library: Any, kind: str) -> Any:
    if kind == VECTOR:
        return library.spaces.Box(-1, 1, (4,))
    return library.spaces.Box(0, 255, (84, 84, 4), np.uint8) if kind == IMAGE else nested(library)


def noop(library: Any, kind: str = VECTOR, info: dict[str, Any] | None = None) -> Any:
    """Return a class of environments that do nothing, so that only the code around them is timed."""
    space = observations(library, kind)
    return noop_in(library, space, space.sample(), info)


def noop_in(library: Any, space: Any, observation: Any, info: dict[str, Any] | None = None) -> Any:
    """Return a class of environments that do nothing and have a given observation space."""
    result_info = info or {}

    class Noop(library.Env):  # type: ignore[misc]
        observation_space = space
        action_space = library.spaces.Discrete(2)

        def __init__(self, render_mode: str | None = None) -> None:
            self.render_mode = render_mode

        def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
            super().reset(seed=seed)
            return observation, result_info

        def step(self, action: Any) -> Any:
            return observation, 0.0, False, False, result_info

    return Noop
