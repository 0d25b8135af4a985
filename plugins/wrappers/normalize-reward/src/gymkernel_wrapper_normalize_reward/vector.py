"""`NormalizeReward` for vector environments."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from gymkernel.protocols import ActType, ArrayType, Info, Mask, ObsType, Options, Seed
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.vector_env import AutoresetMode, VectorEnv
from gymkernel.vector_wrapper import VectorWrapper
from gymkernel_util_wrappers.running_mean_std import RunningMeanStd
from gymkernel_wrapper_normalize_reward import check

__all__ = ["NormalizeReward"]

Results = tuple[Any, Any, Any, Any, Info]


class NormalizeReward(VectorWrapper[ObsType, ActType, ObsType, ActType, ArrayType], RecordConstructorArgs):
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
        VectorWrapper.__init__(self, env)
        self.gamma, self.epsilon = gamma, epsilon
        self.return_rms = RunningMeanStd()
        self.accumulated_reward = np.zeros(self.num_envs, np.float32)
        self.update_running_mean = True
        mode = env.metadata.get("autoreset_mode", AutoresetMode.NEXT_STEP)
        self._mode = AutoresetMode(getattr(mode, "value", mode))  # of another library, too
        self._ended = np.zeros(self.num_envs, np.bool_)
        """Whose last step ended an episode, where that is not over with the step."""

    def reset(self, *, seed: Seed = None, options: Options = None) -> tuple[ObsType, Info]:
        """Begin episodes of the environments inside, and with them their returns."""
        results = self.env.reset(seed=seed, options=options)
        where = ... if options is None else options.get("reset_mask", ...)
        self.accumulated_reward[where] = 0
        self._ended[where] = False
        return results

    def step(self, actions: ActType) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once; the rewards come divided."""
        results: Results = self.env.step(actions)
        if np.count_nonzero(self._ended):
            return self._normalized(results, np.ones(self.num_envs, np.bool_))
        observations, rewards, terminations, truncations, infos = results  # every environment acted
        returns = self.accumulated_reward * self.gamma
        if np.count_nonzero(terminations):
            returns *= ~terminations
        self.accumulated_reward = returns = (returns + rewards).astype(np.float32)
        if self.update_running_mean:
            self.return_rms.update(returns)
        if np.count_nonzero(terminations) or np.count_nonzero(truncations):
            self._end(terminations | truncations)
        return observations, self._divided(rewards), terminations, truncations, infos

    def step_masked(self, actions: ActType, mask: Mask) -> tuple[ObsType, ArrayType, ArrayType, ArrayType, Info]:
        """Act once where a mask says; the others add nothing."""
        return self._normalized(self.env.step_masked(actions, mask), mask)

    def _normalized(self, results: Results, mask: Mask) -> Results:
        observations, rewards, terminations, truncations, infos = results
        active = mask & ~self._ended
        returns = self.accumulated_reward * self.gamma * ~terminations + rewards
        self.accumulated_reward = np.where(active, returns, self.accumulated_reward).astype(np.float32)
        if self.update_running_mean:
            self.return_rms.update(self.accumulated_reward[active])
        self._end(np.where(mask, terminations | truncations, self._ended))
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

    def _end(self, ended: Any) -> None:
        """Some episodes are over."""
        if self._mode is AutoresetMode.SAME_STEP:
            self.accumulated_reward[ended] = 0
        else:
            self._ended = ended

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
