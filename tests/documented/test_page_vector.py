"""Tests of the documentation page from 2022 on vector environments, including steps that return four values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gymkernel
from gymkernel.spaces import Box, Discrete, MultiDiscrete
from gymkernel.vector import AsyncVectorEnv, SyncVectorEnv
from gymkernel.wrappers import ClipReward, FlattenObservation, StepAPICompatibility

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(params=[True, False], ids=["asynchronous", "synchronous"])
def envs(request: Any) -> Iterator[Any]:
    made = gymkernel.vector.make("CartPole-v1", num_envs=3, asynchronous=request.param)
    yield made
    made.close()


def test_vector_make_is_asynchronous_by_default() -> None:
    with gymkernel.vector.make("CartPole-v1", num_envs=2) as envs:
        assert isinstance(envs, AsyncVectorEnv)
        assert envs.num_envs == 2
    assert isinstance(gymkernel.vector.make("CartPole-v1", 2, False), SyncVectorEnv)
    assert gymkernel.vector.make("CartPole-v1", asynchronous=False).num_envs == 1


def test_arguments_reach_the_environments() -> None:
    envs: Any = gymkernel.vector.make("FrozenLake-v1", 2, False, is_slippery=False, render_mode="ansi")
    assert envs.render_mode == "ansi"
    assert [env.spec.kwargs["is_slippery"] for env in envs.envs] == [False, False]


def test_wrappers_are_applied_to_every_environment() -> None:
    one: Any = gymkernel.vector.make("CartPole-v1", 2, False, wrappers=FlattenObservation)
    several: Any = gymkernel.vector.make(
        "CartPole-v1", 2, False, wrappers=[FlattenObservation, lambda env: ClipReward(env, 0, 0)]
    )
    assert {type(env).__name__ for env in one.envs} == {"FlattenObservation"}
    assert {(type(env).__name__, type(env.env).__name__) for env in several.envs} == {
        ("ClipReward", "FlattenObservation")
    }
    several.reset(seed=1)
    assert several.step(np.array([0, 1]))[1].tolist() == [0, 0]


@pytest.mark.parametrize("disabled, checked", [(None, True), (False, True), (True, False)])
def test_checker_can_be_disabled(disabled: bool | None, checked: bool) -> None:
    envs: Any = gymkernel.vector.make("CartPole-v1", 2, False, disable_env_checker=disabled)
    assert ("PassiveEnvChecker" in str(envs.envs[0])) is checked


def test_batched_and_single_spaces(envs: Any) -> None:
    assert envs.action_space == MultiDiscrete([2, 2, 2])
    assert repr(envs.action_space) == "MultiDiscrete([2 2 2])"
    assert envs.single_action_space == Discrete(2)
    assert isinstance(envs.observation_space, Box)
    assert (envs.observation_space.shape, envs.observation_space.dtype) == ((3, 4), np.float32)
    assert repr(envs.observation_space).startswith("Box([[-4.8 ")
    assert envs.single_observation_space.shape == (4,)


def test_reset_returns_observations_and_infos(envs: Any) -> None:
    observations, infos = envs.reset()
    assert observations in envs.observation_space
    assert (observations.shape, observations.dtype, infos) == ((3, 4), np.float32, {})


def test_step_with_four_values(envs: Any) -> None:
    old = StepAPICompatibility(envs, output_truncation_bool=False)
    old.reset(seed=1)
    actions = np.array([1, 0, 1])
    assert actions in old.action_space
    observations, rewards, dones, infos = old.step(actions)
    assert observations in envs.observation_space
    assert (rewards.tolist(), dones.tolist(), infos) == ([1, 1, 1], [False, False, False], {})


def test_infos_show_truncation_with_four_values(envs: Any) -> None:
    limited = gymkernel.vector.make("CartPole-v1", 2, False, max_episode_steps=3)
    old = StepAPICompatibility(limited, output_truncation_bool=False)
    old.reset(seed=1)
    for _ in range(3):
        *_, dones, infos = old.step(np.array([0, 1]))
    assert dones.tolist() == infos["TimeLimit.truncated"].tolist() == [True, True]


def test_five_values_are_unchanged(envs: Any) -> None:
    new = StepAPICompatibility(envs)
    new.reset(seed=1)
    assert len(new.step(np.array([1, 0, 1]))) == 5
