"""The function `from_gym`, which converts gym environments and gym spaces to gymkernel."""

from __future__ import annotations

from typing import Any

from gymkernel.env import Env
from gymkernel.space import Space
from gymkernel_bridge_gym.environment import GymEnv
from gymkernel_bridge_gym.spaces import is_space, space_from_gym
from gymkernel_util_compatibility.other_apis import is_vector_env, returns_four_values

__all__ = ["from_gym"]


def from_gym(thing: Any, render_mode: str | None = None) -> Any:
    """Convert an environment or space from gym, or from a library that imitates gym, to gymkernel.

    Args:
        thing: an environment, a space, or a function or class that creates an environment. Environments with gym's API
            from libraries that do not use gym are supported, too. A gymkernel space is returned unchanged, and so is a
            gymkernel environment whose `step` returns five values.
        render_mode: the render mode. It is passed to the environment's `render` method if that method has a parameter
            `mode`.

    Raises:
        TypeError: if the object is a vector environment, or if it is neither an environment nor a space.

    >>> from collections import namedtuple
    >>> from_gym(namedtuple("BoxSpace", "low high shape dtype")(0, 255, (2,), "uint8"))
    Box(0, 255, (2,), uint8)
    """
    if isinstance(thing, Space):
        return thing
    if isinstance(thing, Env) and not returns_four_values(type(thing).step):
        return thing
    if not isinstance(thing, type) and is_vector_env(thing):
        raise TypeError(
            "from_gym expects a single environment, got a vector environment; convert each environment, as in "
            "SyncVectorEnv([lambda: from_gym(make_env())] * n)"
        )
    is_env = hasattr(thing, "step") and hasattr(thing, "reset")
    if is_space(thing) and not is_env:
        return space_from_gym(thing)
    if is_env or callable(thing):
        return GymEnv(thing, render_mode)
    raise TypeError(f"from_gym expects an environment or a space, got {thing!r} ({type(thing).__name__})")
