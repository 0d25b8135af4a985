"""A bridge that converts PettingZoo's multi-agent environments to gymkernel environments, and vice versa.

* `from_pettingzoo(env)` turns a parallel environment into a vector environment with one row per agent.
* `from_pettingzoo(env, agent)` turns a parallel or AEC environment into an environment in which one agent learns, while
  policies control the other agents.
* `to_pettingzoo(env)` turns a gymkernel environment into a parallel environment with one agent.

Each class or function is imported when it is first used, so that loading the plugin's hook does not import PettingZoo.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gymkernel_util_compatibility.lazy_names import lazy_names

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

__getattr__ = lazy_names(
    __name__,
    making=("from_pettingzoo", "make_pettingzoo", "make_pettingzoo_vec", "to_pettingzoo"),
    one_agent=("OneAgentEnv",),
    outward=("KernelParallelEnv",),
    vector=("ParallelVectorEnv",),
)
