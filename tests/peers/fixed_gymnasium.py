"""Fix Gymnasium's known defects one by one, so that every remaining difference is a defect of gymkernel.

Each fix belongs to one entry of "Intended differences" in docs/guides/coming-from-gymnasium.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv, VectorRewardWrapper, VectorWrapper
from gymnasium.wrappers import TimeLimit, stateful_observation
from gymnasium.wrappers.utils import RunningMeanStd
from gymnasium.wrappers.vector import NormalizeObservation, NormalizeReward, RecordEpisodeStatistics
from gymnasium.wrappers.vector import stateful_observation as vector_stateful_observation

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

__all__ = ["FIXES"]


def float64_statistics(patch: pytest.MonkeyPatch) -> None:
    """Make Gymnasium compute statistics in float64. In float32, they stop changing during long runs (decision 34)."""

    class InFloat64(RunningMeanStd):
        def __init__(self, epsilon: float = 1e-4, shape: Any = (), dtype: Any = None) -> None:
            super().__init__(epsilon, shape)  # type: ignore[no-untyped-call]

        def update(self, x: Any) -> None:
            super().update(np.asarray(x, np.float64))  # type: ignore[no-untyped-call]

    for module in (stateful_observation, vector_stateful_observation):
        patch.setattr(module, "RunningMeanStd", InFloat64)


def options_unchanged(patch: pytest.MonkeyPatch) -> None:
    """Stop Gymnasium's `reset` from removing the mask from the caller's options. Outer wrappers read the mask (D10)."""

    def fix(cls: Any) -> None:
        reset = cls.reset

        def fixed(self: Any, *, seed: Any = None, options: Any = None) -> Any:
            return reset(self, seed=seed, options=None if options is None else dict(options))

        patch.setattr(cls, "reset", fixed)

    fix(SyncVectorEnv)
    fix(RecordEpisodeStatistics)


def partial_resets_of_returns(patch: pytest.MonkeyPatch) -> None:
    """Make `NormalizeReward` keep the returns of those environments that a partial reset does not reset."""

    def reset(self: Any, *, seed: Any = None, options: Any = None) -> Any:
        where = (options or {}).get("reset_mask", ...)
        self.accumulated_reward[where] = 0
        self._prev_dones[where] = 0
        return self.env.reset(seed=seed, options=options)

    patch.setattr(NormalizeReward, "reset", reset)


def partial_resets_of_observations(patch: pytest.MonkeyPatch) -> None:
    """Make `NormalizeObservation` accept partial resets, and count only the reset environments' observations."""

    def reset(self: Any, *, seed: Any = None, options: Any = None) -> Any:
        where = (options or {}).get("reset_mask", ...)
        observations, infos = self.env.reset(seed=seed, options=options)
        updates, self._update_running_mean = self._update_running_mean, False
        if updates:
            self.obs_rms.update(observations[where])
        normalized, self._update_running_mean = self.observations(observations), updates
        return normalized, infos

    patch.setattr(NormalizeObservation, "reset", reset)


def no_reward_of_a_reset(patch: pytest.MonkeyPatch) -> None:
    """Do not transform the reward of a step that starts an episode in NEXT_STEP mode."""

    def reset(self: Any, *, seed: Any = None, options: Any = None) -> Any:
        if hasattr(self, "_began"):
            self._began[(options or {}).get("reset_mask", ...)] = False
        return self.env.reset(seed=seed, options=options)

    def step(self: Any, actions: Any) -> Any:
        observations, rewards, terminations, truncations, infos = self.env.step(actions)
        changed = np.array(self.rewards(rewards.copy()))
        if self.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP:
            began = getattr(self, "_began", np.zeros(self.num_envs, np.bool_))
            changed[began] = rewards[began]
            self._began = terminations | truncations
        return observations, changed, terminations, truncations, infos

    patch.setattr(VectorRewardWrapper, "reset", reset)
    patch.setattr(VectorRewardWrapper, "step", step)


def observations_in_the_same_step(patch: pytest.MonkeyPatch) -> None:
    """Make Gymnasium's observation wrappers accept SAME_STEP mode. Some reject it but contain code for it (D11)."""
    patch.setattr(gymnasium.vector.VectorObservationWrapper, "__init__", VectorWrapper.__init__)


def infos_without_rounding(patch: pytest.MonkeyPatch) -> None:
    """Batch infos without cutting off fractions, even if the first environment returned an integer (D9)."""
    add_info: Callable[..., Any] = VectorEnv._add_info

    def fixed(self: Any, vector_infos: Any, env_info: Any, env_num: int) -> Any:
        for key, value in env_info.items():
            known = vector_infos.get(key)
            if isinstance(known, np.ndarray) and known.dtype.kind in "iu" and isinstance(value, float):
                vector_infos[key] = known.astype(np.float64)
        return add_info(self, vector_infos, env_info, env_num)

    patch.setattr(VectorEnv, "_add_info", fixed)


def statistics_in_the_final_info(patch: pytest.MonkeyPatch) -> None:
    """Add episode statistics to the final info in SAME_STEP mode, as the wrapper for single environments does."""
    step: Callable[..., Any] = RecordEpisodeStatistics.step

    def fixed(self: Any, actions: Any) -> Any:
        *values, infos = step(self, actions)
        key, known = self._stats_key, infos.get("final_info")
        if key in infos and known is not None:
            infos["final_info"] = {key: infos[key], f"_{key}": infos[f"_{key}"], **known}
        return *values, infos

    patch.setattr(RecordEpisodeStatistics, "step", fixed)


def time_limits_in_infos(patch: pytest.MonkeyPatch) -> None:
    """Set the key "TimeLimit.truncated" in the info of a step that reaches the limit, as the API did in 2022."""
    step: Callable[..., Any] = TimeLimit.step

    def fixed(self: Any, action: Any) -> Any:
        observation, reward, terminated, truncated, info = step(self, action)
        if self._elapsed_steps >= self._max_episode_steps:
            info = {**info, "TimeLimit.truncated": not terminated}
        return observation, reward, terminated, truncated, info

    patch.setattr(TimeLimit, "step", fixed)


FIXES = (
    float64_statistics,
    options_unchanged,
    partial_resets_of_returns,
    partial_resets_of_observations,
    no_reward_of_a_reset,
    observations_in_the_same_step,
    infos_without_rounding,
    statistics_in_the_final_info,
    time_limits_in_infos,
)
