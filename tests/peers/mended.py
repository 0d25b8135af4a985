"""Gymnasium with its documented defects mended, one by one: what then still differs is a difference of ours.

Each mend stands for one entry of "Intended differences" in docs/guides/coming-from-gymnasium.md.
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

__all__ = ["MENDS"]


def float64_statistics(patch: pytest.MonkeyPatch) -> None:
    """Statistics of float32 observations stop following after some hundred thousand steps there (decision 34)."""

    class InFloat64(RunningMeanStd):
        def __init__(self, epsilon: float = 1e-4, shape: Any = (), dtype: Any = None) -> None:
            super().__init__(epsilon, shape)  # type: ignore[no-untyped-call]

        def update(self, x: Any) -> None:
            super().update(np.asarray(x, np.float64))  # type: ignore[no-untyped-call]

    for module in (stateful_observation, vector_stateful_observation):
        patch.setattr(module, "RunningMeanStd", InFloat64)


def options_left_alone(patch: pytest.MonkeyPatch) -> None:
    """A reset takes the mask out of the caller's dictionary there, and wrappers outside do not see it (D10)."""

    def mend(cls: Any) -> None:
        reset = cls.reset

        def mended(self: Any, *, seed: Any = None, options: Any = None) -> Any:
            return reset(self, seed=seed, options=None if options is None else dict(options))

        patch.setattr(cls, "reset", mended)

    mend(SyncVectorEnv)
    mend(RecordEpisodeStatistics)


def partial_resets_of_returns(patch: pytest.MonkeyPatch) -> None:
    """`NormalizeReward` forgets the returns of all environments there where some are reset."""

    def reset(self: Any, *, seed: Any = None, options: Any = None) -> Any:
        where = (options or {}).get("reset_mask", ...)
        self.accumulated_reward[where] = 0
        self._prev_dones[where] = 0
        return self.env.reset(seed=seed, options=options)

    patch.setattr(NormalizeReward, "reset", reset)


def partial_resets_of_observations(patch: pytest.MonkeyPatch) -> None:
    """`NormalizeObservation` refuses partial resets there; the observations that began are those that count."""

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
    """The step that begins an episode under NEXT_STEP has no reward that could be transformed."""

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
    """Wrappers of observations refuse SAME_STEP there, also those that have code for it (D11)."""
    patch.setattr(gymnasium.vector.VectorObservationWrapper, "__init__", VectorWrapper.__init__)


def infos_hold_all(patch: pytest.MonkeyPatch) -> None:
    """Infos are batched in the dtype of the first environment there, which cuts off fractions of others (D9)."""
    add_info: Callable[..., Any] = VectorEnv._add_info

    def mended(self: Any, vector_infos: Any, env_info: Any, env_num: int) -> Any:
        for key, value in env_info.items():
            known = vector_infos.get(key)
            if isinstance(known, np.ndarray) and known.dtype.kind in "iu" and isinstance(value, float):
                vector_infos[key] = known.astype(np.float64)
        return add_info(self, vector_infos, env_info, env_num)

    patch.setattr(VectorEnv, "_add_info", mended)


def statistics_in_the_final_info(patch: pytest.MonkeyPatch) -> None:
    """Under SAME_STEP, statistics are beside the final info there, and not in it as those of a single wrapper are."""
    step: Callable[..., Any] = RecordEpisodeStatistics.step

    def mended(self: Any, actions: Any) -> Any:
        *values, infos = step(self, actions)
        key, known = self._stats_key, infos.get("final_info")
        if key in infos and known is not None:
            infos["final_info"] = {key: infos[key], f"_{key}": infos[f"_{key}"], **known}
        return *values, infos

    patch.setattr(RecordEpisodeStatistics, "step", mended)


def limits_are_told(patch: pytest.MonkeyPatch) -> None:
    """The info of a step at the limit does not tell of it there, as it did in 2022."""
    step: Callable[..., Any] = TimeLimit.step

    def mended(self: Any, action: Any) -> Any:
        observation, reward, terminated, truncated, info = step(self, action)
        if self._elapsed_steps >= self._max_episode_steps:
            info = {**info, "TimeLimit.truncated": not terminated}
        return observation, reward, terminated, truncated, info

    patch.setattr(TimeLimit, "step", mended)


MENDS = (
    float64_statistics,
    options_left_alone,
    partial_resets_of_returns,
    partial_resets_of_observations,
    no_reward_of_a_reset,
    observations_in_the_same_step,
    infos_hold_all,
    statistics_in_the_final_info,
    limits_are_told,
)
