"""The class `World`, which steps one parallel environment and stores the results as one row per agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gymkernel.ops import create_zero_array
from gymkernel_bridge_pettingzoo.spaces import agents_of, with_action_mask

if TYPE_CHECKING:
    from gymkernel.space import Space

__all__ = ["World"]


class World:
    """A parallel environment whose results are stored in one row per agent, in the order of `possible_agents`.

    An agent that is done before the other agents keeps its row: the observation is the last one that the agent
    received, the reward is 0, and actions are ignored. All rows end at the same time, when the last agent is done. An
    agent that has not appeared yet has an observation of zeros.

    Args:
        env: the parallel environment.
        observation_space: the observation space of every agent.

    Attributes:
        observations: the last observation of each agent.
        rewards: the reward of each agent in the last step.
        infos: the info of each agent in the last step or reset; empty for an agent that did not act.
        active: whether each agent acts in the next step.
        is_over: whether all agents are done, so that the environment must be reset.
    """

    def __init__(self, env: Any, observation_space: Space[Any]) -> None:
        self.env = env
        self.agents = agents_of(env)
        self._observation_space = observation_space
        self._start()
        self.is_over = True

    def _start(self) -> None:
        n = len(self.agents)
        self.observations: list[Any] = [create_zero_array(self._observation_space) for _ in range(n)]
        self.rewards = np.zeros(n)
        self.infos: list[dict[str, Any]] = [{} for _ in range(n)]
        self.active = np.zeros(n, np.bool_)
        self._terminated, self._truncated = np.zeros(n, np.bool_), np.zeros(n, np.bool_)
        self.is_over = False

    def reset(self, seed: int | None = None, options: Any = None) -> None:
        """Start an episode for all agents.

        Args:
            seed: the seed, or None.
            options: the options, or None.
        """
        observations, infos = self.env.reset(seed=seed, options=options)
        self._start()
        self._store(observations, infos)

    def step(self, actions: list[Any]) -> None:
        """Perform the actions of the active agents.

        Args:
            actions: one action per agent. The actions of agents that are not active are ignored.
        """
        acting = zip(self.agents, actions, self.active, strict=True)
        results = self.env.step({agent: action for agent, action, is_active in acting if is_active})
        observations, rewards, terminations, truncations, infos = results
        self.infos = [{} for _ in self.agents]
        self.rewards = np.array([rewards.get(agent, 0) for agent in self.agents], np.float64)
        self.rewards[~self.active] = 0
        for i, agent in enumerate(self.agents):
            if self.active[i]:
                self._terminated[i] = terminations.get(agent, False)
                self._truncated[i] = truncations.get(agent, False)
        self._store(observations, infos)
        self.is_over = not self.env.agents

    def ends(self) -> tuple[Any, Any]:
        """Return the arrays `terminated` and `truncated`. All values are False until every agent is done."""
        if not self.is_over:
            nothing = np.zeros(len(self.agents), np.bool_)
            return nothing, nothing
        return self._terminated, self._truncated | ~(self._terminated | self._truncated)

    def _store(self, observations: dict[Any, Any], infos: dict[Any, Any]) -> None:
        """Store the observations and infos of agents that have just acted or will act next, and update `active`."""
        alive = set(self.env.agents)
        for i, agent in enumerate(self.agents):
            if agent in observations and (self.active[i] or agent in alive):
                self.observations[i] = observations[agent]
                self.infos[i] = with_action_mask(observations[agent], infos.get(agent, {}))
            self.active[i] = agent in alive
