"""Tests of `NormalizeReward`, in particular the divisor and saved statistics."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gymkernel import Env
from gymkernel.error import InvalidBound
from gymkernel.wrappers import NormalizeReward
from gymkernel.wrappers.utils import RunningMeanStd

Step = tuple[float, bool]
STEPS = st.lists(st.tuples(st.floats(-100, 100), st.booleans()), min_size=1, max_size=30)


class Echo(Env[Any, Any]):
    """An environment whose action consists of the next reward and the next value of `terminated`."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[int, dict[str, Any]]:
        return 0, {}

    def step(self, action: Step) -> tuple[int, Any, bool, bool, dict[str, Any]]:
        return 0, action[0], action[1], False, {}


def rewards(env: Any, steps: list[Step]) -> list[float]:
    return [env.step(step)[1] for step in steps]


@given(STEPS, st.sampled_from([0.0, 0.9, 1.0]))
def test_rewards_are_divided_by_the_std_of_returns(steps: list[Step], gamma: float) -> None:
    statistics, total, expected = RunningMeanStd(), 0.0, []
    for reward, terminated in steps:
        total = total * gamma * (not terminated) + reward
        statistics.update(np.array([total]))
        expected.append(reward / np.sqrt(statistics.var + 1e-8))

    np.testing.assert_allclose(rewards(NormalizeReward(Echo(), gamma), steps), expected, rtol=1e-9, atol=1e-12)


def test_statistics_continue_over_resets() -> None:
    env = NormalizeReward(Echo())
    rewards(env, [(1.0, False)] * 3)
    before = env.return_rms.count

    env.reset(seed=3)

    assert env.return_rms.count == before == pytest.approx(3.0001)


def test_statistics_can_be_frozen() -> None:
    env = NormalizeReward(Echo())
    rewards(env, [(1.0, False), (5.0, False)])
    env.update_running_mean = False
    before = env.state_dict()["return_rms"]

    first, *_, last = rewards(env, [(2.0, False)] * 10)

    assert env.state_dict()["return_rms"] == before
    assert first == last


def test_any_number_type_is_accepted() -> None:
    assert rewards(NormalizeReward(Echo()), [(np.float32(2), False)]) == rewards(NormalizeReward(Echo()), [(2, False)])  # type: ignore[list-item]


@given(STEPS, STEPS)
def test_loaded_state_continues_identically(before: list[Step], after: list[Step]) -> None:
    env, other = NormalizeReward(Echo()), NormalizeReward(Echo())
    rewards(env, before)

    other.load_state_dict(json.loads(json.dumps(env.state_dict())))

    assert rewards(other, after) == rewards(env, after)


def test_state_is_a_copy() -> None:
    env = NormalizeReward(Echo())
    state = env.state_dict()
    rewards(env, [(1.0, False)])

    assert state["discounted_reward"] == 0
    assert state["return_rms"]["count"] == 1e-4


@pytest.mark.parametrize("gamma", [-0.1, 1.1, np.nan])
def test_invalid_discount_is_rejected(gamma: float) -> None:
    with pytest.raises(InvalidBound, match=r"^NormalizeReward expects gamma to be in \[0, 1\], got "):
        NormalizeReward(Echo(), gamma)


@pytest.mark.parametrize("epsilon", [0, -1.0, np.nan])
def test_epsilon_of_zero_is_rejected(epsilon: float) -> None:
    with pytest.raises(InvalidBound, match=r"^NormalizeReward expects epsilon to be positive, got "):
        NormalizeReward(Echo(), epsilon=epsilon)


def test_wrapper_is_recreated_from_spec_and_json() -> None:
    again = NormalizeReward(Echo(), **json.loads(json.dumps(NormalizeReward(Echo(), 0.5, 0.1)._saved_kwargs)))

    assert (again.gamma, again.epsilon) == (0.5, 0.1)


@pytest.mark.slow
def test_ten_million_rewards_keep_precision() -> None:
    drawn = np.random.default_rng(0).normal(1e4, 1.0, 10**7)
    env = NormalizeReward(Echo(), gamma=0.0)

    for reward in drawn.tolist():
        env.step((reward, False))

    assert env.return_rms.mean == pytest.approx(drawn.mean(), rel=1e-9)
    assert env.return_rms.var == pytest.approx(drawn.var() + 1e8 * 1e-4 / 1e7, rel=1e-4)  # includes the initial values
