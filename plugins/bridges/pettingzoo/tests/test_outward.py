"""Test gymkernel environments that were converted to parallel environments, with PettingZoo's own tests."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gymkernel as gk
from gymkernel_bridge_pettingzoo import KernelParallelEnv, to_pettingzoo

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # `pettingzoo.test` imports an environment under a deprecated name
    from pettingzoo.test import parallel_api_test, parallel_seed_test

IDS = ["CartPole-v1", "Pendulum-v1", "MountainCar-v0", "FrozenLake-v1", "Taxi-v4", "Blackjack-v1"]
each_id = pytest.mark.parametrize("env_id", IDS)


def create(env_id: str) -> Any:
    try:
        return to_pettingzoo(gk.make(env_id))
    except gk.error.UnregisteredEnv:
        return to_pettingzoo(gk.make(f"gymnasium/{env_id}"))


@each_id
def test_environment_passes_the_api_test(env_id: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(create(env_id), num_cycles=1000)


@each_id
def test_environment_passes_the_seed_test(env_id: str) -> None:
    parallel_seed_test(lambda: create(env_id), num_cycles=100)


def test_results_are_those_of_the_environment() -> None:
    env, original = to_pettingzoo(gk.make("CartPole-v1"), "pole"), gk.make("CartPole-v1")
    observations, infos = env.reset(seed=3)
    expected, _ = original.reset(seed=3)

    np.testing.assert_array_equal(observations["pole"], expected)
    assert infos == {"pole": {}}
    assert env.agents == ["pole"]
    done = False
    while not done:
        observations, rewards, terminations, truncations, _ = env.step({"pole": 1})
        expected, reward, terminated, truncated, _ = original.step(1)
        np.testing.assert_array_equal(observations["pole"], expected)
        assert (rewards["pole"], terminations["pole"], truncations["pole"]) == (reward, terminated, truncated)
        done = terminated or truncated
    assert env.agents == []
    assert env.step({}) == ({}, {}, {}, {}, {})
    np.testing.assert_array_equal(env.state(), expected)


@pytest.mark.parametrize("thing", [7, gk.Env])
def test_other_objects_are_rejected(thing: Any) -> None:
    with pytest.raises(TypeError, match="KernelParallelEnv expects an environment"):
        KernelParallelEnv(thing)
