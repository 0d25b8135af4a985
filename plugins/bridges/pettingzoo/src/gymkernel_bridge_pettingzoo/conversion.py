"""The functions `from_pettingzoo` and `to_pettingzoo`, which convert environments between PettingZoo and gymkernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.vector_env import AutoresetMode
from gymkernel_bridge_pettingzoo.one_agent import OneAgentEnv
from gymkernel_bridge_pettingzoo.outward import KernelParallelEnv
from gymkernel_bridge_pettingzoo.vector import ParallelVectorEnv

if TYPE_CHECKING:
    from gymkernel_bridge_pettingzoo.policies import Policies

__all__ = ["from_pettingzoo", "to_pettingzoo"]


def from_pettingzoo(
    env: Any,
    agent: Any = None,
    policies: Policies = None,
    *,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
) -> Any:
    """Convert a PettingZoo environment to a gymkernel vector environment or single environment.

    Args:
        env: a parallel or AEC environment, or a list of copies of a parallel environment.
        agent: the agent that learns. If neither `agent` nor `policies` is given, all agents learn.
        policies: the policies of the other agents. See `OneAgentEnv`.
        autoreset_mode: the autoreset mode of the vector environment, if all agents learn.

    Returns:
        A `ParallelVectorEnv` with one row per agent if all agents learn, and a `OneAgentEnv` otherwise.

    Raises:
        TypeError: if the object is not a PettingZoo environment, or if all agents of an AEC environment should learn.
        ValueError: if the environment has no such agent, or if all agents should learn but have different spaces.

    >>> from pettingzoo.classic.rps import rps
    >>> from_pettingzoo(rps.parallel_env()).num_envs, from_pettingzoo(rps.env(), "player_1").action_space
    (2, Discrete(3))
    """
    if agent is None and policies is None:
        return ParallelVectorEnv(env, autoreset_mode=autoreset_mode)
    return OneAgentEnv(env, agent, policies)


def to_pettingzoo(env: Any, agent: str = "agent_0") -> KernelParallelEnv:
    """Convert a gymkernel environment to a PettingZoo parallel environment with one agent.

    Args:
        env: a gymkernel or Gymnasium environment.
        agent: the name of the agent.
    """
    return KernelParallelEnv(env, agent)
