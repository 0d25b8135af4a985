"""Functions that convert environments. They are registered with `to_gymnasium` and `from_gymnasium`."""

from __future__ import annotations

from typing import Any

import gymnasium

from gymkernel.env import Env
from gymkernel.space import Space
from gymkernel.vector_env import VectorEnv
from gymkernel_bridge_gymnasium.conversion import from_gymnasium, to_gymnasium, unknown
from gymkernel_bridge_gymnasium.inward import GymnasiumEnv, GymnasiumVectorEnv
from gymkernel_bridge_gymnasium.outward import KernelEnv, KernelVectorEnv
from gymkernel_util_compatibility.other_apis import explain_space, require_env

__all__ = ["from_gymnasium", "to_gymnasium"]


def _is_env(thing: Any, function: str) -> bool:
    """Return whether an object is an environment. Raise a TypeError if the environment has a different API."""
    if isinstance(thing, type) or not (hasattr(thing, "step") and hasattr(thing, "reset")):
        return False
    if not isinstance(thing, Env | VectorEnv):
        require_env(thing, f"{function} converts environments of Gymnasium and gymkernel")
        if explain_space(space := getattr(thing, "observation_space", None)):
            raise TypeError(unknown(space, function))
    return True


@to_gymnasium.register(object)
def _env_to_gymnasium(thing: Any) -> Any:
    is_ours = isinstance(thing, Space | Env | VectorEnv) and not isinstance(thing, KernelEnv | KernelVectorEnv)
    if isinstance(thing, gymnasium.spaces.Space | gymnasium.Env | gymnasium.vector.VectorEnv) and not is_ours:
        return thing
    if _is_env(thing, "to_gymnasium"):
        return KernelVectorEnv(thing) if hasattr(thing, "num_envs") else KernelEnv(thing)
    raise TypeError(unknown(thing, "to_gymnasium"))


@from_gymnasium.register(object)
def _env_from_gymnasium(thing: Any) -> Any:
    if isinstance(thing, Space | Env | VectorEnv):
        return thing
    if _is_env(thing, "from_gymnasium"):
        return GymnasiumVectorEnv(thing) if hasattr(thing, "num_envs") else GymnasiumEnv(thing)
    raise TypeError(unknown(thing, "from_gymnasium"))
