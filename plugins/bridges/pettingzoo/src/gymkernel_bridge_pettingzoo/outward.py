"""The class `KernelParallelEnv`, which turns a gymkernel environment into a PettingZoo parallel environment."""

from __future__ import annotations

from typing import Any

from pettingzoo import ParallelEnv

from gymkernel_util_compatibility.other_apis import require_env

__all__ = ["KernelParallelEnv"]


class KernelParallelEnv(ParallelEnv):  # type: ignore[misc]
    """A PettingZoo parallel environment whose only agent acts in a gymkernel environment.

    Args:
        env: a gymkernel or Gymnasium environment.
        agent: the name of the agent.

    Raises:
        TypeError: if the object is not an environment whose `step` returns five values.

    >>> import gymkernel as gym
    >>> env = KernelParallelEnv(gym.make("gymnasium/CartPole-v1"))
    >>> observations, infos = env.reset(seed=1)
    >>> env.agents, observations["agent_0"].shape
    (['agent_0'], (4,))
    """

    def __init__(self, env: Any, agent: str = "agent_0") -> None:
        if isinstance(env, type) or not (hasattr(env, "step") and hasattr(env, "reset")):
            raise TypeError(f"KernelParallelEnv expects an environment (an object with reset and step), got {env!r}")
        require_env(env, "KernelParallelEnv expects an environment")
        self.kernel_env = env
        self.possible_agents = [agent]
        self.agents: list[str] = []
        self.observation_spaces, self.action_spaces = {agent: env.observation_space}, {agent: env.action_space}
        spec = getattr(env, "spec", None)
        name = type(getattr(env, "unwrapped", env)).__name__ if spec is None else spec.id
        self.metadata = {**getattr(env, "metadata", {}), "name": name, "is_parallelizable": True}
        self.render_mode = getattr(env, "render_mode", None)
        self._agent = agent
        self._observation: Any = None

    def observation_space(self, agent: str) -> Any:
        """Return the observation space. Every call returns the same object.

        Args:
            agent: the name of the agent.
        """
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the action space. Every call returns the same object.

        Args:
            agent: the name of the agent.
        """
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, Any]:
        """Start an episode.

        Args:
            seed: the seed, or None.
            options: the options for the environment, or None.

        Returns:
            The observations and the infos, as dictionaries with the agent as the only key.
        """
        self._observation, info = self.kernel_env.reset(seed=seed, options=options)
        self.agents = [self._agent]
        return {self._agent: self._observation}, {self._agent: info}

    def step(self, actions: dict[str, Any]) -> tuple[Any, Any, Any, Any, Any]:
        """Perform the agent's action. If no agent is left, return empty dictionaries.

        Args:
            actions: a dictionary that maps the agent to its action.

        Returns:
            The observations, rewards, terminations, truncations and infos, as dictionaries with the agent as the only
            key.
        """
        if not self.agents:
            return {}, {}, {}, {}, {}
        results = self.kernel_env.step(actions[self._agent])
        self._observation = results[0]
        if results[2] or results[3]:
            self.agents = []
        observations, rewards, terminations, truncations, infos = ({self._agent: value} for value in results)
        return observations, rewards, terminations, truncations, infos

    def state(self) -> Any:
        """Return the last observation as the global state, because there is only one agent."""
        return self._observation

    def render(self) -> Any:
        """Render the environment."""
        return self.kernel_env.render()

    def close(self) -> None:
        """Close the environment."""
        self.kernel_env.close()
