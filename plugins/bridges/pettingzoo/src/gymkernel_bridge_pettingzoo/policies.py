"""The class `Opponents`, which chooses the actions of the agents that do not learn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gymkernel_bridge_pettingzoo.spaces import agents_of, space_of

__all__ = ["Opponents", "Policies", "Policy"]

Policy = Callable[[Any, dict[str, Any]], Any]
"""A function that maps an agent's observation and info to an action. `info["action_mask"]` marks the valid actions."""
Policies = Policy | Mapping[Any, Policy] | None
"""One policy for all other agents, a dictionary with one policy per agent, or None for random valid actions."""


class Opponents:
    """The policies of all agents except the learner. An agent without a policy performs random valid actions.

    Args:
        env: the PettingZoo environment.
        learner: the agent that learns.
        policies: the policies of the other agents.

    Raises:
        TypeError: if a policy is not callable.
        ValueError: if a policy is given for an unknown agent or for the learner.
    """

    def __init__(self, env: Any, learner: Any, policies: Policies) -> None:
        others = [agent for agent in agents_of(env) if agent != learner]
        given = dict(policies) if isinstance(policies, Mapping) else dict.fromkeys(others, policies)
        if unknown := [agent for agent in given if agent not in others]:
            raise ValueError(f"Expected policies for the agents {others}, got a policy for {unknown[0]!r}")
        self._policies: dict[Any, Policy | None] = {agent: given.get(agent) for agent in others}
        for agent, policy in self._policies.items():
            if not (policy is None or callable(policy)):
                raise TypeError(f"Expected the policy of {agent!r} to be a function, got {policy!r}")
        self._spaces = {agent: space_of(env, "action", agent) for agent in others}

    def seed(self, seed: int) -> None:
        """Seed the random actions of agents that have no policy.

        Args:
            seed: the seed of the environment, from which each agent's seed is derived.
        """
        for i, space in enumerate(self._spaces.values(), start=1):
            space.seed(seed + i)

    def action(self, agent: Any, observation: Any, info: dict[str, Any]) -> Any:
        """Choose the next action of an agent other than the learner.

        Args:
            agent: the agent that acts.
            observation: the agent's observation.
            info: the agent's info. If it contains an "action_mask", random actions are chosen among the valid actions.
        """
        policy = self._policies[agent]
        if policy is not None:
            return policy(observation, info)
        space, mask = self._spaces[agent], info.get("action_mask")
        return space.sample() if mask is None else space.sample(mask)
