"""Tests of `ClipReward`, in particular the clipped rewards and invalid bounds."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import Env
from gymkernel.envs.registration import EnvSpec
from gymkernel.error import InvalidBound
from gymkernel.wrappers import ClipReward

NUMBERS = st.floats(-1e6, 1e6)


class Echo(Env[int, float]):
    """An environment whose reward is the action."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        return 0, {}

    def step(self, action: float) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 0, action, False, False, {}


@given(NUMBERS, NUMBERS, NUMBERS)
def test_reward_is_clipped_to_the_bounds(reward: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert ClipReward(Echo(), low, high).step(reward)[1] == np.clip(reward, low, high)


@pytest.mark.parametrize("bounds, wanted", [((None, 1.0), [-5.0, 1.0]), ((-1.0, None), [-1.0, 5.0])])
def test_one_bound_is_enough(bounds: tuple[Any, Any], wanted: list[float]) -> None:
    env = ClipReward(Echo(), *bounds)
    assert [env.step(reward)[1] for reward in (-5.0, 5.0)] == wanted


def test_multi_objective_rewards_are_clipped() -> None:
    reward = ClipReward(Echo(), -1.0, 1.0).step(np.array([-3.0, 0.5, 3.0]))[1]  # type: ignore[arg-type]
    assert np.array_equal(reward, [-1.0, 0.5, 1.0])  # type: ignore[arg-type]


@pytest.mark.parametrize("reward", [0, True, np.float32(0.25), np.float64(-3), 7, math.inf, np.array(0.5)], ids=repr)
def test_any_number_type_is_accepted(reward: Any) -> None:
    assert ClipReward(Echo(), -1.0, 1.0).step(reward)[1] == min(max(reward, -1.0), 1.0)


def test_nan_stays_nan() -> None:
    assert math.isnan(ClipReward(Echo(), -1.0, 1.0).step(math.nan)[1])


def test_subclass_can_override_the_method() -> None:
    class Half(ClipReward[int, float]):
        def reward(self, reward: Any) -> Any:
            return super().reward(reward) / 2

    assert Half(Echo(), -1.0, 1.0).step(0.5)[1] == 0.25


@pytest.mark.parametrize(
    "bounds, message",
    [
        ((None, None), "^ClipReward expects min_reward, max_reward, or both, got neither"),
        ((2.0, 1.0), r"^ClipReward expects min_reward <= max_reward, got 2.0 and 1.0$"),
        ((math.nan, 1.0), r"^ClipReward expects min_reward <= max_reward, got nan and 1.0$"),
    ],
)
def test_missing_bounds_are_rejected(bounds: tuple[Any, Any], message: str) -> None:
    with pytest.raises(InvalidBound, match=message):
        ClipReward(Echo(), *bounds)


def test_spec_contains_the_wrapper() -> None:
    env = Echo()
    env.spec = EnvSpec("Echo-v0", entry_point=Echo)
    spec = ClipReward(env, max_reward=1.0).spec
    assert spec is not None
    assert spec.additional_wrappers[-1].kwargs == {"min_reward": None, "max_reward": 1.0}
    assert json.loads(json.dumps(spec.additional_wrappers[-1].kwargs)) == spec.additional_wrappers[-1].kwargs
