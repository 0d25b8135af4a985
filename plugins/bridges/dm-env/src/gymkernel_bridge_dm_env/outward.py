"""The `KernelEnvironment` class, a dm_env environment that wraps a gymkernel environment."""

from __future__ import annotations

from typing import Any

import dm_env

from gymkernel_bridge_dm_env.spaces import action_of, observation_of, spec_of

__all__ = ["KernelEnvironment", "to_dm_env"]


class KernelEnvironment(dm_env.Environment):  # type: ignore[misc,unused-ignore]
    """A dm_env environment that wraps a gymkernel environment.

    The last step of a terminated episode has the discount 0. All other steps have the discount 1, or `info["discount"]`
    if the environment provides it, as environments from `from_dm_env` do. In particular, a truncated episode does not
    end with the discount 0, because its last state can still have a nonzero value.

    Args:
        env: a gymkernel environment.
        seed: the seed of the first reset, or None.

    Raises:
        TypeError: if dm_env has no spec for one of the spaces.
    """

    def __init__(self, env: Any, seed: int | None = None) -> None:
        self.gymkernel_env = env
        """The wrapped environment."""
        self._seed = seed
        self._observation_spec = spec_of(env.observation_space, "observation")
        self._action_spec = spec_of(env.action_space, "action")
        self._needs_reset = True

    def reset(self) -> dm_env.TimeStep:
        """Start a new episode, and return its first time step."""
        observation, _ = self.gymkernel_env.reset(seed=self._seed)
        self._seed, self._needs_reset = None, False
        return dm_env.restart(self._observation(observation))

    def step(self, action: Any) -> dm_env.TimeStep:
        """Perform one action. If no episode is in progress, start a new episode instead.

        Args:
            action: a value that conforms to the action spec. It is ignored if a new episode is started.
        """
        if self._needs_reset:
            return self.reset()
        action = action_of(self.gymkernel_env.action_space, action)
        observation, reward, terminated, truncated, info = self.gymkernel_env.step(action)
        self._needs_reset = bool(terminated or truncated)
        observation, reward = self._observation(observation), float(reward)
        if terminated:
            return dm_env.termination(reward, observation)
        discount = float(info.get("discount", 1.0))
        make = dm_env.truncation if truncated else dm_env.transition
        return make(reward, observation, discount)

    def observation_spec(self) -> Any:
        """Return the observation spec, which is a nested structure of specs if the observation space is nested."""
        return self._observation_spec

    def action_spec(self) -> Any:
        """Return the action spec, which is a nested structure of specs if the action space is nested."""
        return self._action_spec

    def close(self) -> None:
        """Close the wrapped environment."""
        self.gymkernel_env.close()

    def _observation(self, observation: Any) -> Any:
        return observation_of(self.gymkernel_env.observation_space, observation)


def to_dm_env(env: Any, seed: int | None = None) -> KernelEnvironment:
    """Convert a gymkernel environment to a dm_env environment.

    Args:
        env: a gymkernel environment, with or without wrappers.
        seed: the seed of the first reset, or None.

    Raises:
        TypeError: if dm_env has no spec for one of the spaces.
    """
    return KernelEnvironment(env, seed)
