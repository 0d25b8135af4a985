"""Functions that create PettingZoo environments by name and convert them to gymkernel environments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.vector_env import AutoresetMode
from gymkernel_bridge_pettingzoo.families import creator
from gymkernel_bridge_pettingzoo.one_agent import OneAgentEnv
from gymkernel_bridge_pettingzoo.vector import ParallelVectorEnv

if TYPE_CHECKING:
    from gymkernel_bridge_pettingzoo.policies import Policies

__all__ = ["make_pettingzoo", "make_pettingzoo_vec"]


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
