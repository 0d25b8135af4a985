"""Test that crafter, which has gym's old API but does not need gym, gives the same trajectories in gymkernel.

The tox environment crafter runs these tests, without gym. crafter's spaces are then named tuples.
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

import gymkernel as gk
from gymkernel.utils.env_checker import check_env
from gymkernel.utils.gym import from_gym
from gymkernel.vector import AsyncVectorEnv, SyncVectorEnv

crafter: Any = pytest.importorskip("crafter", reason="the tox environment crafter installs crafter")

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # crafter emits warnings
    pytest.mark.skipif(find_spec("gym") is not None, reason="crafter uses gym's spaces if gym is installed"),
]
create = partial(crafter.Env, length=100)


class Recorded(crafter.Env):  # type: ignore[misc]
    """A crafter environment that stores copies of its results.

    Two environments of crafter with the same seed may differ after some steps, because crafter iterates over sets of
    objects, whose order depends on the objects' addresses. Therefore, the test needs the results of the same instance.
    """

    results: list[Any]

    def reset(self) -> Any:
        observation = super().reset()
        self.results = [observation.copy()]
        return observation

    def step(self, action: Any) -> Any:
        observation, reward, done, info = super().step(action)
        self.results.append((observation.copy(), reward, done, info["discount"]))
        return observation, reward, done, info


def test_trajectory_of_1000_steps_is_the_same() -> None:
    original = Recorded(length=100, seed=7)
    env = from_gym(original)
    env.action_space.seed(3)
    episodes = 0
    np.testing.assert_array_equal(env.reset()[0], original.results[0])
    for _ in range(1000):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        expected, expected_reward, done, discount = original.results[-1]
        np.testing.assert_array_equal(observation, expected)
        assert (reward, terminated or truncated, info["discount"]) == (expected_reward, done, discount)
        if done:
            episodes += 1
            np.testing.assert_array_equal(env.reset()[0], original.results[0])
    assert episodes >= 10


def test_spaces_are_those_of_gymkernel() -> None:
    env = from_gym(create)

    assert env.observation_space == gk.spaces.Box(0, 255, (64, 64, 3), np.uint8)
    assert env.action_space == gk.spaces.Discrete(17)


@pytest.mark.parametrize("vector", [SyncVectorEnv, AsyncVectorEnv])
def test_backends_step_like_single_environments(vector: Any) -> None:
    envs, single = vector([lambda: from_gym(create)] * 2), from_gym(create)
    np.testing.assert_array_equal(envs.reset(seed=6)[0][1], single.reset(seed=7)[0])
    for _ in range(5):
        np.testing.assert_array_equal(envs.step(np.array([1, 2]))[0][1], single.step(2)[0])
    envs.close()


@pytest.mark.parametrize("vector", [SyncVectorEnv, AsyncVectorEnv])
def test_unconverted_environment_is_rejected(vector: Any) -> None:
    with pytest.raises(Exception, match=r"crafter.*not a space.*gymkernel.utils.gym.from_gym"):
        vector([create] * 2)
    with pytest.raises(TypeError, match=r"crafter.*not a space.*pip install gymkernel-bridge-gym"):
        gk.wrappers.TimeLimit(create(), 5)


def test_id_creates_the_environment() -> None:
    env = gk.make("gym/crafter:Env", length=50, render_mode="rgb_array")
    observation, _ = env.reset(seed=7)

    np.testing.assert_array_equal(observation, create(seed=7).reset())
    assert env.render().shape == (64, 64, 3)


def test_checker_finds_no_errors() -> None:
    check_env(gk.make("gym/crafter:Env"), skip_render_check=True)
