"""A bridge that converts PettingZoo's multi-agent environments to gymkernel environments, and vice versa.

* `from_pettingzoo(env)` turns a parallel environment into a vector environment with one row per agent.
* `from_pettingzoo(env, agent)` turns a parallel or AEC environment into an environment in which one agent learns, while
  policies control the other agents.
* `to_pettingzoo(env)` turns a gymkernel environment into a parallel environment with one agent.

Each class or function is imported when it is first used, so that loading the plugin's hook does not import PettingZoo.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gymkernel_bridge_pettingzoo.making import (
        from_pettingzoo,
        make_pettingzoo,
        make_pettingzoo_vec,
        to_pettingzoo,
    )
    from gymkernel_bridge_pettingzoo.one_agent import OneAgentEnv
    from gymkernel_bridge_pettingzoo.outward import KernelParallelEnv
    from gymkernel_bridge_pettingzoo.vector import ParallelVectorEnv

__all__ = ["KernelParallelEnv", "OneAgentEnv", "ParallelVectorEnv", "from_pettingzoo", "make_pettingzoo"]
__all__ += ["make_pettingzoo_vec", "to_pettingzoo"]

_HOME = {
    "making": ("from_pettingzoo", "make_pettingzoo", "make_pettingzoo_vec", "to_pettingzoo"),
    "one_agent": ("OneAgentEnv",),
    "outward": ("KernelParallelEnv",),
    "vector": ("ParallelVectorEnv",),
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(f"{__name__}.{_MODULE[name]}"), name)
    return value
