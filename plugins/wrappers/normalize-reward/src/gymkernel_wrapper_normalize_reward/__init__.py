"""The `NormalizeReward` wrapper, which divides rewards by the standard deviation of the returns."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any, SupportsFloat

from numpy import float64

from gymkernel.error import InvalidBound
from gymkernel.protocols import ActType, EnvLike, ObsType
from gymkernel.utils.record_constructor import RecordConstructorArgs
from gymkernel.wrapper import Wrapper
from gymkernel_util_wrappers.running_mean_std import RunningMeanStd

__all__ = ["NormalizeReward", "check"]


class NormalizeReward(Wrapper[ObsType, ActType, ObsType, ActType], RecordConstructorArgs):
    """A wrapper that divides rewards by the running standard deviation of the discounted return.

    The original implementation of PPO scales rewards in the same way. Engstrom et al., "Implementation Matters in Deep
    Policy Gradients" (2020), measured the effect. Because future rewards are not known yet, the return is accumulated
    forwards in time: `return = gamma * return + reward`. After a termination, the return is reset to 0. The statistics
    are kept when a new episode begins, even with a new seed.

    Args:
        gamma: the discount factor, in [0, 1].
        epsilon: a positive number that is added to the variance to avoid a division by 0.

    Attributes:
        return_rms: the running statistics of the returns, a `RunningMeanStd` of shape ().
        discounted_reward: the discounted return of the current episode so far.
        update_running_mean: whether steps update the statistics. Set it to False during evaluation.

    Raises:
        InvalidBound: if `gamma` or `epsilon` is out of range.

    >>> from gymkernel import Env
    >>> class Generous(Env):
    ...     def step(self, action):
    ...         return 0, 100.0, False, False, {}
    >>> env = NormalizeReward(Generous(), gamma=0.5)
    >>> [round(float(env.step(0)[1]), 2) for _ in range(3)]
    [100.0, 4.0, 3.21]
    """

    def __init__(self, env: EnvLike[ObsType, ActType], gamma: float = 0.99, epsilon: float = 1e-8) -> None:
        check(gamma, epsilon)
        Wrapper.__init__(self, env)
        self.gamma, self.epsilon = gamma, epsilon
        self.return_rms = _to_floats(RunningMeanStd())
        self.discounted_reward = 0.0
        self.update_running_mean = True

    def step(self, action: ActType) -> tuple[ObsType, SupportsFloat, bool, bool, dict[str, Any]]:
        """Step the environment, and return the normalized reward."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        statistics = self.return_rms
        number = reward if type(reward) is float else float(reward)
        self.discounted_reward = total = number if terminated else self.discounted_reward * self.gamma + number
        if self.update_running_mean:  # does the same as `update_one`, but with Python floats
            before = statistics.count
            statistics.count = count = before + 1
            delta = total - statistics.mean
            statistics.mean += delta / count
            statistics.var = variance = (statistics.var * before + delta * delta * before / count) / count
        else:
            variance = statistics.var
        return observation, float64(number / sqrt(variance + self.epsilon)), terminated, truncated, info

    def state_dict(self) -> dict[str, Any]:
        """Return the statistics and the discounted return in a dictionary for `load_state_dict`."""
        statistics = self.return_rms
        moments = {"mean": float(statistics.mean), "var": float(statistics.var), "count": float(statistics.count)}
        return {"return_rms": moments, "discounted_reward": self.discounted_reward}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the state from the result of `state_dict`.

        Args:
            state: the result of `state_dict`, which may come from another process.

        Raises:
            KeyError: if the state lacks a required value.
        """
        statistics = RunningMeanStd()
        statistics.load_state_dict(state["return_rms"])
        self.discounted_reward = float(state["discounted_reward"])
        self.return_rms = _to_floats(statistics)


def check(gamma: float, epsilon: float) -> None:
    """Raise InvalidBound if the discount factor or epsilon is out of range.

    Args:
        gamma: the discount factor, which must be in [0, 1].
        epsilon: the number that is added to the variance, which must be positive.
    """
    if not 0 <= gamma <= 1:
        raise InvalidBound(f"NormalizeReward expects gamma to be in [0, 1], got {gamma}")
    if not epsilon > 0:
        raise InvalidBound(f"NormalizeReward expects epsilon to be positive, got {epsilon}")


def _to_floats(statistics: Any) -> Any:
    """Convert the statistics to Python floats, whose arithmetic is much faster than that of arrays of shape ()."""
    statistics.mean, statistics.var = float(statistics.mean), float(statistics.var)
    return statistics
