"""Functions that convert environments between PettingZoo and gymkernel, or create PettingZoo environments by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.vector_env import AutoresetMode
from gymkernel_bridge_pettingzoo.families import creator
from gymkernel_bridge_pettingzoo.one_agent import OneAgentEnv
from gymkernel_bridge_pettingzoo.outward import KernelParallelEnv
from gymkernel_bridge_pettingzoo.vector import ParallelVectorEnv

if TYPE_CHECKING:
    from gymkernel_bridge_pettingzoo.rounds import Policies

__all__ = ["from_pettingzoo", "make_pettingzoo", "make_pettingzoo_vec", "to_pettingzoo"]


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


def make_pettingzoo(name: str, agent: str | None = None, policies: Policies = None, **kwargs: Any) -> OneAgentEnv:
    """Create an environment in which one agent learns, while policies control the other agents.

    Args:
        name: the name of an environment, such as `butterfly/pistonball_v6`. The parallel API is used if the environment
            supports it, and the AEC API otherwise.
        agent: the agent that learns; None means the first of the environment's possible agents.
        policies: the policies of the other agents. See `OneAgentEnv`.
        **kwargs: keyword arguments for the PettingZoo function that creates the environment, such as `render_mode` and
            `max_cycles`.
    """
    create = creator(name, "parallel") or creator(name, "aec")
    if create is None:
        raise TypeError(f"{name} has neither a parallel nor an AEC form")
    return OneAgentEnv(create(**kwargs), agent, policies)


def make_pettingzoo_vec(
    name: str, num_copies: int = 1, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP, **kwargs: Any
) -> ParallelVectorEnv:
    """Create a vector environment with one row for each agent of a parallel environment.

    Args:
        name: the name of an environment that supports PettingZoo's parallel API, such as `butterfly/pistonball_v6`.
        num_copies: the number of copies of the environment. Each copy adds one row per agent.
        autoreset_mode: when to reset a copy after all of its agents are done.
        **kwargs: keyword arguments for the PettingZoo function that creates the environment.

    Raises:
        TypeError: if the environment does not support the parallel API, because its agents act in turn.
        ValueError: if the agents have different spaces, or if the number of copies is not positive.
    """
    create = creator(name, "parallel")
    if create is None:
        raise TypeError(
            f"{name} has no parallel form, because its agents act in turn; to train one of them, use "
            f'gymkernel.make("pettingzoo/{name}", agent=..., policies=...)'
        )
    return ParallelVectorEnv([create(**kwargs) for _ in range(num_copies)], autoreset_mode=autoreset_mode)
