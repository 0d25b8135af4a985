"""Functions that create gymkernel environments from the names of PettingZoo's environments."""

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
    """Create an environment in which one agent learns, while policies play the other agents.

    Args:
        name: the name of an environment, such as `butterfly/pistonball_v6`. Its parallel form is used if it has one,
            and its AEC form otherwise.
        agent: the agent that learns; None means the first of the environment's possible agents.
        policies: the policies of the other agents, as for `OneAgentEnv`.
        **kwargs: arguments for PettingZoo's function, such as `render_mode` and `max_cycles`.
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
        name: the name of an environment, such as `butterfly/pistonball_v6`, which must have a parallel form.
        num_copies: the number of copies of the environment. Each copy adds one row per agent.
        autoreset_mode: the time at which a copy is reset after all of its agents are done.
        **kwargs: arguments for PettingZoo's function `parallel_env`.

    Raises:
        TypeError: if the environment has no parallel form, because its agents act in turn.
        ValueError: if the agents have different spaces, or if the number of copies is not positive.
    """
    create = creator(name, "parallel")
    if create is None:
        raise TypeError(
            f"{name} has no parallel form, because its agents act in turn; to train one of them, use "
            f'gymkernel.make("pettingzoo/{name}", agent=..., policies=...)'
        )
    return ParallelVectorEnv([create(**kwargs) for _ in range(num_copies)], autoreset_mode=autoreset_mode)
