"""Classes that choose the actions of the agents that do not learn, and step an environment by one action per agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gymkernel_bridge_pettingzoo.spaces import agents_of, space_of, with_action_mask

__all__ = ["Opponents", "ParallelRounds", "Policies", "Policy", "TurnRounds"]

MAX_RESETS = 100
"""The maximum number of consecutive episodes that may end before the learner's first turn."""
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


class ParallelRounds:
    """An adapter that steps a parallel environment, in which the learner and the other agents act at the same time.

    Args:
        env: the parallel environment.
        learner: the agent that learns.
        opponents: the policies of the other agents.
    """

    def __init__(self, env: Any, learner: Any, opponents: Opponents) -> None:
        self._env, self._learner, self._opponents = env, learner, opponents
        self._observations: dict[Any, Any] = {}
        self._infos: dict[Any, Any] = {}

    def reset(self, seed: int | None, options: Any) -> tuple[Any, dict[str, Any]]:
        """Start an episode, and return the learner's observation and info.

        Args:
            seed: the seed, or None.
            options: the options, or None.
        """
        self._remember(*self._env.reset(seed=seed, options=options))
        return self._observations[self._learner], self._infos[self._learner]

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Perform one action per agent, and return the learner's results.

        Args:
            action: the learner's action.
        """
        actions = {
            agent: action
            if agent == self._learner
            else self._opponents.action(agent, self._observations[agent], self._infos[agent])
            for agent in self._env.agents
        }
        observations, rewards, terminations, truncations, infos = self._env.step(actions)
        self._remember(observations, infos)
        me = self._learner
        return self._observations[me], rewards[me], terminations[me], truncations[me], self._infos[me]

    def _remember(self, observations: dict[Any, Any], infos: dict[Any, Any]) -> None:
        """Store each agent's observation and info, which its policy needs to choose the next action."""
        self._observations = observations
        self._infos = {agent: with_action_mask(seen, infos.get(agent, {})) for agent, seen in observations.items()}


class TurnRounds:
    """An adapter that steps an AEC environment, in which the learner and the other agents act in turn.

    Args:
        env: the AEC environment.
        learner: the agent that learns.
        opponents: the policies of the other agents.
    """

    def __init__(self, env: Any, learner: Any, opponents: Opponents) -> None:
        self._env, self._learner, self._opponents = env, learner, opponents

    def reset(self, seed: int | None, options: Any) -> tuple[Any, dict[str, Any]]:
        """Start an episode, advance it to the learner's first turn, and return the learner's observation and info.

        Args:
            seed: the seed, or None.
            options: the options, or None.

        Raises:
            RuntimeError: if too many consecutive episodes end before the learner's first turn.
        """
        for _ in range(MAX_RESETS):
            self._env.reset(seed=seed, options=options)
            self._play_others()
            if self._env.agents:
                observation, _, terminated, truncated, info = self._env.last()
                if not (terminated or truncated):
                    return observation, with_action_mask(observation, info)
            seed = None
        raise RuntimeError(f"{MAX_RESETS} episodes ended before the first turn of the agent {self._learner!r}")

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Perform the learner's action and then the other agents' actions, and return the learner's results.

        Args:
            action: the learner's action.
        """
        self._env.step(action)
        self._play_others()
        observation, reward, terminated, truncated, info = self._env.last()
        return observation, reward, terminated, truncated, with_action_mask(observation, info)

    def _play_others(self) -> None:
        """Let the other agents act until the learner's turn. An agent that is done must act with None in PettingZoo."""
        env = self._env
        while env.agents and (agent := env.agent_selection) != self._learner:
            observation, _, terminated, truncated, info = env.last()
            is_done = terminated or truncated
            info = with_action_mask(observation, info)
            env.step(None if is_done else self._opponents.action(agent, observation, info))
