"""The `NormalizeReward` wrapper for vector environments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from gymkernel.protocols import ActType, ArrayType, Mask, ObsType, VectorEnvLike, Where
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_wrappers.episodic import EpisodicWrapper
from gymkernel_util_wrappers.running_mean_std import RunningMeanStd
from gymkernel_wrapper_normalize_reward import check

__all__ = ["NormalizeReward"]


class NormalizeReward(EpisodicWrapper[ObsType, ActType, ObsType, ActType, ArrayType], RecordConstructorArgs):
    """A vector wrapper that divides rewards by the running standard deviation of the discounted returns.

    All environments share the statistics. For separate statistics, wrap the individual environments instead. In
    NEXT_STEP mode, a step that begins an episode does not update the statistics, and its reward remains 0.

    The arguments and exceptions are the same as for `gymkernel.wrappers.NormalizeReward`.

    Attributes:
        return_rms: the running statistics of the returns, a `RunningMeanStd` of shape ().
        accumulated_reward: the discounted return so far in each environment, a float32 array.
        update_running_mean: whether steps update the statistics. Set it to False during evaluation.

    >>> import gymkernel as gym
    >>> envs = NormalizeReward(gym.make_vec("CartPole-v1", 2, "sync"))  # doctest: +SKIP
    >>> _ = envs.reset(seed=7)  # doctest: +SKIP
    >>> envs.step([0, 1])[1].round(2)  # doctest: +SKIP
    array([100., 100.])
    """

    gymkernel_expected_failures: ClassVar = {"GK676": "all environments share one standard deviation of returns"}

    def __init__(
        self, env: VectorEnvLike[ObsType, ActType, ArrayType], gamma: float = 0.99, epsilon: float = 1e-8
    ) -> None:
        check(gamma, epsilon)
        super().__init__(env)
        self.gamma, self.epsilon = gamma, epsilon
        self.return_rms = RunningMeanStd()
        self.accumulated_reward = np.zeros(self.num_envs, np.float32)
        self.update_running_mean = True

    def on_reset(self, where: Where) -> None:
        """Reset the discounted returns of the given environments to 0."""
        self.accumulated_reward[where] = 0

    def finish_step(self, results: Any, mask: Mask | None) -> Any:
        """Normalize the rewards in the results of a step. Only environments that were stepped update the statistics."""
        observations, rewards, terminations, truncations, infos = results
        _, acting = self.boundaries.plan_step(mask)
        returns = self.accumulated_reward * self.gamma
        if np.count_nonzero(terminations):
            returns *= ~terminations
        returns = (returns + rewards).astype(np.float32)
        if acting is not ...:
            returns = np.where(acting, returns, self.accumulated_reward)
        self.accumulated_reward = returns
        if self.update_running_mean:
            self.return_rms.update(returns[acting])
        _, began = self.boundaries.finish_step(terminations, truncations, mask)
        if began is not None:
            self.on_reset(began)
        return observations, self._divide(rewards), terminations, truncations, infos

    def _divide(self, rewards: Any) -> Any:
        return rewards / np.sqrt(self.return_rms.var + self.epsilon)

    def normalize(self, reward: Any) -> Any:
        """Update the statistics with the returns, and normalize a reward or an array of rewards.

        Args:
            reward: the reward of one environment, or an array of rewards.
        """
        if self.update_running_mean:
            self.return_rms.update(self.accumulated_reward)
        return self._divide(reward)

    def state_dict(self) -> dict[str, Any]:
        """Return the statistics and the discounted returns in a dictionary for `load_state_dict`."""
        return {"return_rms": self.return_rms.state_dict(), "accumulated_reward": self.accumulated_reward.copy()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state from the result of `state_dict`.

        The arguments are the same as for `gymkernel.wrappers.NormalizeReward.load_state_dict`.

        Raises:
            KeyError: if the state lacks a required value.
            ValueError: if the state is for a different number of environments.
        """
        returns = np.array(state["accumulated_reward"], np.float32)
        if returns.shape != (self.num_envs,):
            raise ValueError(
                f"Expected the state of {self.num_envs} environments, got returns of shape {returns.shape}"
            )
        self.return_rms.load_state_dict(state["return_rms"])
        self.accumulated_reward = returns
