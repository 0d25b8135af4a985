"""Tests of `NormalizeObservation`, in particular the statistics, which can be saved."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest

from gymkernel import Env, Space
from gymkernel.envs.registration import EnvSpec
from gymkernel.error import InvalidBound
from gymkernel.spaces import Box
from gymkernel.wrappers import NormalizeObservation
from gymkernel_wrapper_normalize_observation import Normalizer

DRAWN = np.random.default_rng(5).normal([3, -10], [2, 0.5], (500, 2)).astype(np.float32)


class Shows(Env[Any, Any]):
    """An environment whose observation consists of the action and a random number."""

    def __init__(self, space: Any = None) -> None:
        self.observation_space = Box(-99, 99, (2,)) if space is None else space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        return DRAWN[0], {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return action, 0.0, False, False, {}


def test_observations_have_mean_0_and_variance_1() -> None:
    env = NormalizeObservation(Shows())
    seen = np.array([env.step(row)[0] for row in np.tile(DRAWN, (4, 1))])[-500:]
    np.testing.assert_allclose(seen.mean(axis=0), 0, atol=0.1)
    np.testing.assert_allclose(seen.std(axis=0), 1, atol=0.1)


def test_observation_is_included_in_its_own_statistics() -> None:
    env = NormalizeObservation(Shows(), epsilon=0.5)
    env.obs_rms.count = 0
    env.reset()
    for i in range(1, 10):
        before = DRAWN[: i + 1].astype(np.float64)
        wanted = (before[-1] - before.mean(axis=0)) / np.sqrt(before.var(axis=0) + 0.5)
        np.testing.assert_allclose(env.step(DRAWN[i])[0], wanted, rtol=1e-6)


def test_normalized_observations_are_unbounded_float32() -> None:
    env = NormalizeObservation(Shows(Box(0, 255, (2, 2), np.uint8)))
    assert env.observation_space == Box(-np.inf, np.inf, (2, 2), np.float32)
    assert env.step(np.ones((2, 2), np.uint8))[0] in env.observation_space


def test_scalar_observations_become_zero_dimensional_arrays() -> None:
    assert NormalizeObservation(Shows(Box(0, 1, ()))).step(0.5)[0].shape == ()


@pytest.mark.parametrize(
    "dtype, expected", [(np.float16, np.float32), (np.float32, np.float32), (np.float64, np.float64), (int, np.float64)]
)
def test_float32_statistics_become_wider_with_wider_observations(
    dtype: Any, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = NormalizeObservation(Shows())
    monkeypatch.setattr(Normalizer, "statistics_dtype", np.float32)
    env = NormalizeObservation(Shows())

    for row in DRAWN[:50]:
        observation = row.astype(dtype)
        np.testing.assert_allclose(env.step(observation)[0], exact.step(observation)[0], rtol=1e-3, atol=1e-3)
    assert env.obs_rms.mean.dtype == env.obs_rms.var.dtype == expected


def test_frozen_statistics_do_not_change() -> None:
    env = NormalizeObservation(Shows())
    env.step(DRAWN[1])
    env.update_running_mean = False
    before = env.state_dict()
    first, second = env.step(DRAWN[2])[0], env.step(DRAWN[2])[0]
    assert env.update_running_mean is False
    assert np.array_equal(first, second)
    assert before["count"] == env.obs_rms.count


@pytest.mark.parametrize(
    "copied",
    [lambda env: env, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))],
    ids=["itself", "copy", "pickle"],
)
def test_state_continues_in_another_wrapper(copied: Any) -> None:
    env, other = NormalizeObservation(Shows()), NormalizeObservation(Shows())
    for row in DRAWN[:20]:
        env.step(row)
    other.load_state_dict(copied(env).state_dict())
    for row in DRAWN[20:40]:
        assert np.array_equal(env.step(row)[0], other.step(row)[0])


def test_state_with_wrong_shape_is_rejected() -> None:
    state = NormalizeObservation(Shows(Box(0, 1, (3,)))).state_dict()
    with pytest.raises(ValueError, match=r"^Expected a mean and a var of shape \(2,\)"):
        NormalizeObservation(Shows()).load_state_dict(state)


@pytest.mark.parametrize("epsilon", [0, -1e-8, np.nan])
def test_non_positive_epsilon_is_rejected(epsilon: float) -> None:
    with pytest.raises(InvalidBound, match=r"^NormalizeObservation expects epsilon to be positive, got"):
        NormalizeObservation(Shows(), epsilon)


def test_other_spaces_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"^NormalizeObservation expects observations to be arrays of the same shape"):
        NormalizeObservation(Shows(Space()))


def test_spec_contains_the_wrapper_as_json() -> None:
    env = Shows()
    env.spec = EnvSpec("Shows-v0", entry_point=Shows)
    spec = NormalizeObservation(env).spec
    assert spec is not None
    assert json.loads(json.dumps(spec.additional_wrappers[-1].kwargs)) == {"epsilon": 1e-8}
