"""Environments of the one library as those of the other, in the tables that have the spaces."""

from __future__ import annotations

from typing import Any

import gymnasium

from gymkernel import Env, Space
from gymkernel.vector import VectorEnv
from gymkernel_bridge_gymnasium.conversion import from_gymnasium, to_gymnasium, unknown
from gymkernel_bridge_gymnasium.inward import GymnasiumEnv, GymnasiumVectorEnv
from gymkernel_bridge_gymnasium.outward import KernelEnv, KernelVectorEnv

__all__ = ["from_gymnasium", "to_gymnasium"]


def _is_env(thing: Any) -> bool:
    """Whether it is used as an environment, of whatever class."""
    return not isinstance(thing, type) and hasattr(thing, "step") and hasattr(thing, "reset")


@to_gymnasium.register(object)
def _env_to_gymnasium(thing: Any) -> Any:
    is_ours = isinstance(thing, Space | Env | VectorEnv) and not isinstance(thing, KernelEnv | KernelVectorEnv)
    if isinstance(thing, gymnasium.spaces.Space | gymnasium.Env | gymnasium.vector.VectorEnv) and not is_ours:
        return thing
    if _is_env(thing):
        return KernelVectorEnv(thing) if hasattr(thing, "num_envs") else KernelEnv(thing)
    raise TypeError(unknown(thing, "to_gymnasium"))


@from_gymnasium.register(object)
def _env_from_gymnasium(thing: Any) -> Any:
    if isinstance(thing, Space | Env | VectorEnv):
        return thing
    if _is_env(thing):
        return GymnasiumVectorEnv(thing) if hasattr(thing, "num_envs") else GymnasiumEnv(thing)
    raise TypeError(unknown(thing, "from_gymnasium"))
