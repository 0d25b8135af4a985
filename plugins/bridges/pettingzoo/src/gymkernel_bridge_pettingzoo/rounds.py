"""Classes that step a PettingZoo environment by one action of the learner and the actions of all other agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel_bridge_pettingzoo.spaces import with_action_mask

if TYPE_CHECKING:
    from gymkernel_bridge_pettingzoo.policies import Opponents

__all__ = ["ParallelRounds", "TurnRounds"]

MAX_RESETS = 100
"""The maximum number of consecutive episodes that may end before the learner's first turn."""


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
