"""The class `OneAgentEnv`, in which one agent of a PettingZoo environment learns while policies control the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gymkernel.env import Env
from gymkernel.error import ResetNeeded
from gymkernel_bridge_pettingzoo.rounds import Opponents, ParallelRounds, TurnRounds
from gymkernel_bridge_pettingzoo.spaces import agents_of, is_aec, is_parallel, space_of

if TYPE_CHECKING:
    from gymkernel.protocols import Info, Options
    from gymkernel_bridge_pettingzoo.rounds import Policies

__all__ = ["OneAgentEnv"]


class OneAgentEnv(Env[Any, Any]):
    """An environment in which one agent of a PettingZoo environment learns, while policies control the other agents.

    In an AEC environment, a step performs the learner's action and then the actions of the other agents until it is the
    learner's turn again. The reward is the sum of the learner's rewards since its previous action. An episode ends when
    the learner is done, even if other agents would continue. If the observation contains an action mask, the mask is
    also available as `info["action_mask"]`.

    Args:
        env: a parallel or AEC environment.
        agent: the agent that learns; None means the first possible agent.
        policies: the policies of the other agents: a function `policy(observation, info)` that returns an action, or a
            dictionary that maps agents to such functions. Agents without a policy perform random valid actions, which
            are seeded by `reset(seed=...)`.

    Raises:
        TypeError: if the object is not a PettingZoo environment, or if a policy is not callable.
        ValueError: if the environment has no such agent.

    >>> from pettingzoo.classic.rps import rps
    >>> env = OneAgentEnv(rps.parallel_env(), policies=lambda observation, info: 0)  # the opponent plays rock
    >>> _ = env.reset(seed=1)
    >>> env.step(1)[1], env.step(2)[1]  # the learner plays paper, and then scissors
    (1, -1)
    """

    def __init__(self, env: Any, agent: Any = None, policies: Policies = None) -> None:
        if not (is_aec(env) or is_parallel(env)):
            raise TypeError(f"OneAgentEnv expects a PettingZoo environment, got {env!r}")
        agents = agents_of(env)
        agent = agents[0] if agent is None else agent
        if agent not in agents:
            raise ValueError(f"Expected agent to be one of {agents}, got {agent!r}")
        self.pettingzoo_env, self.agent = env, agent
        self.observation_space = space_of(env, "observation", agent)
        self.action_space = space_of(env, "action", agent)
        self.metadata = {"render_modes": [], **env.metadata}
        self.render_mode = getattr(env, "render_mode", None) or getattr(env.unwrapped, "render_mode", None)
        self._opponents = Opponents(env, agent, policies)
        self._rounds = (TurnRounds if is_aec(env) else ParallelRounds)(env, agent, self._opponents)
        self._is_over = True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "pettingzoo_env":
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        return getattr(self.pettingzoo_env, name)

    def reset(self, *, seed: int | None = None, options: Options = None) -> tuple[Any, Info]:
        """Start an episode, and perform the actions of the agents that act before the learner."""
        super().reset(seed=seed)
        if seed is not None:
            self._opponents.seed(seed)
        observation, info = self._rounds.reset(seed, options)
        self._is_over = False
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, Info]:
        """Perform the learner's action and the actions of the other agents."""
        if self._is_over:
            raise ResetNeeded(f"The agent {self.agent!r} is done: call reset before the next step")
        observation, reward, terminated, truncated, info = self._rounds.step(action)
        self._is_over = bool(terminated or truncated)
        return observation, reward, bool(terminated), bool(truncated), info

    def render(self) -> Any:
        """Render the PettingZoo environment."""
        return self.pettingzoo_env.render()

    def close(self) -> None:
        """Close the PettingZoo environment."""
        self.pettingzoo_env.close()

    def __str__(self) -> str:
        return f"<OneAgentEnv<{self.metadata.get('name', self.pettingzoo_env)}: {self.agent}>>"
