"""`NormalizeReward` for vector environments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gymkernel.protocols import ActType, ArrayType, Mask, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel_util_wrappers.episodic import EpisodicWrapper
from gymkernel_util_wrappers.running_mean_std import RunningMeanStd
from gymkernel_wrapper_normalize_reward import check

if TYPE_CHECKING:
    from gymkernel.vector_env import VectorEnv
    from gymkernel.wrapper import Where

__all__ = ["NormalizeReward"]


class NormalizeReward(EpisodicWrapper[ObsType, ActType, ObsType, ActType, ArrayType], RecordConstructorArgs):
    """Divide rewards by the running standard deviation of the discounted return, one for all environments together.

    Every environment adds to the statistics; one of its own for each is had by wrapping the single environments.
    Under NEXT_STEP, the step that begins an episode adds nothing, and its reward stays 0.

    Arguments and errors are those of `gymkernel.wrappers.NormalizeReward`.

    Attributes:
        return_rms: the running statistics, a `RunningMeanStd` of shape ().
        accumulated_reward: the discounted return of each environment so far, float32.
        update_running_mean: whether steps change the statistics; False for evaluation.
    """

    gymkernel_expected_failures: ClassVar = {"GK676": "one deviation of the returns of all environments"}

    def __init__(self, env: VectorEnv[ObsType, ActType, ArrayType], gamma: float = 0.99, epsilon: float = 1e-8) -> None:
        check(gamma, epsilon)
        super().__init__(env)
        self.gamma, self.epsilon = gamma, epsilon
        self.return_rms = RunningMeanStd()
        self.accumulated_reward = np.zeros(self.num_envs, np.float32)
        self.update_running_mean = True

    def on_reset(self, where: Where) -> None:
        """Begin the discounted returns of some environments."""
        self.accumulated_reward[where] = 0

    def finish_step(self, results: Any, mask: Mask | None) -> Any:
        """Return the results of a step with divided rewards; environments that did not act add nothing."""
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
        return observations, self._divided(rewards), terminations, truncations, infos

    def _divided(self, rewards: Any) -> Any:
        return rewards / np.sqrt(self.return_rms.var + self.epsilon)

    def normalize(self, reward: Any) -> Any:
        """A reward, or an array of them, divided; the present returns are taken into the statistics before.

        Args:
            reward: as the environments inside returned them.
        """
        if self.update_running_mean:
            self.return_rms.update(self.accumulated_reward)
        return self._divided(reward)

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` takes: the statistics, and the discounted return of each environment."""
        return {"return_rms": self.return_rms.state_dict(), "accumulated_reward": self.accumulated_reward.copy()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a `state_dict` of as many environments.

        Arguments are those of `gymkernel.wrappers.NormalizeReward.load_state_dict`.

        Raises:
            KeyError: something is missing.
            ValueError: it is of another number of environments.
        """
        returns = np.array(state["accumulated_reward"], np.float32)
        if returns.shape != (self.num_envs,):
            raise ValueError(f"Expected a state of {self.num_envs} environments, got returns of shape {returns.shape}")
        self.return_rms.load_state_dict(state["return_rms"])
        self.accumulated_reward = returns
