"""Test that environments of the installed version of gym give the same trajectories in gymkernel as in gym.

The tox environments gym-0.21, gym-0.25 and gym-0.26 run these tests.
"""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
import pytest

import gymkernel as gk
from gymkernel.utils.env_checker import check_env
from gymkernel.utils.gym import from_gym
from gymkernel.vector import AsyncVectorEnv, SyncVectorEnv

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    gym: Any = pytest.importorskip("gym", reason="the tox environments gym-0.21, gym-0.25 and gym-0.26 install gym")

pytestmark = pytest.mark.filterwarnings("ignore")  # gym emits many warnings

IDS = ["CartPole-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Pendulum-v1", "FrozenLake-v1"]
VERSION = tuple(map(int, gym.__version__.split(".")[:2]))
each_id = pytest.mark.parametrize("gym_id", IDS)
each_form = pytest.mark.parametrize("form", ["id", "object"])
each_backend = pytest.mark.parametrize("vector", [SyncVectorEnv, AsyncVectorEnv])


def gym_make(gym_id: str, **kwargs: Any) -> Any:
    """Create an environment without gym's checker, which does not work with NumPy 2."""
    if "disable_env_checker" in inspect.signature(gym.make).parameters:
        kwargs["disable_env_checker"] = True
    return gym.make(gym_id, **kwargs)


def converted(gym_id: str, form: str) -> Any:
    return gk.make(f"gym/{gym_id}") if form == "id" else from_gym(gym_make(gym_id))


def original_reset(env: Any, seed: int | None) -> Any:
    if VERSION < (0, 22):
        if seed is not None:
            env.seed(seed)
        return env.reset()
    result = env.reset(seed=seed)
    return result if VERSION < (0, 26) else result[0]


def original_step(env: Any, action: Any) -> tuple[Any, float, bool, bool]:
    if VERSION >= (0, 26):
        return env.step(action)[:4]  # type: ignore[no-any-return]
    observation, reward, done, info = env.step(action)
    truncated = info.get("TimeLimit.truncated", False)
    return observation, reward, done and not truncated, truncated


@each_id
@each_form
def test_trajectory_of_1000_steps_is_the_same(gym_id: str, form: str) -> None:
    env, original = converted(gym_id, form), gym_make(gym_id)
    env.action_space.seed(3)
    seed: int | None = 5
    episodes = 0
    np.testing.assert_array_equal(env.reset(seed=seed)[0], original_reset(original, seed))
    for _ in range(1000):
        action = env.action_space.sample()
        observation, reward, terminated, truncated, _ = env.step(action)
        expected, expected_reward, expected_terminated, expected_truncated = original_step(original, action)
        np.testing.assert_array_equal(observation, expected)
        assert (reward, terminated, truncated) == (expected_reward, expected_terminated, expected_truncated)
        if terminated or truncated:
            episodes += 1
            np.testing.assert_array_equal(env.reset()[0], original_reset(original, None))
    assert episodes > 0


@each_id
def test_wrappers_accept_converted_environments(gym_id: str) -> None:
    env = gk.wrappers.RecordEpisodeStatistics(gk.wrappers.TimeLimit(from_gym(gym_make(gym_id)), 2))
    env.reset(seed=1)
    env.step(env.action_space.sample())

    assert env.step(env.action_space.sample())[4]["episode"]["l"] == 2


@each_id
@each_form
@each_backend
def test_vector_environments_step_like_single_environments(gym_id: str, form: str, vector: Any) -> None:
    envs, single = vector([lambda: converted(gym_id, form)] * 2), converted(gym_id, form)
    np.testing.assert_array_equal(envs.reset(seed=6)[0][1], single.reset(seed=7)[0])
    envs.action_space.seed(3)
    over = False
    while not over:
        actions = envs.action_space.sample()
        observation, _, terminated, truncated, _ = single.step(actions[1])
        np.testing.assert_array_equal(envs.step(actions)[0][1], observation)
        over = terminated or truncated
    envs.close()


@each_id
def test_checker_finds_no_errors(gym_id: str) -> None:
    check_env(gk.make(f"gym/{gym_id}"), skip_render_check=True)


def test_spec_is_that_of_gym() -> None:
    spec = gk.spec("gym/CartPole-v1")

    assert (spec.id, spec.max_episode_steps, spec.reward_threshold) == ("gym/CartPole-v1", 500, 475.0)
    assert from_gym(gym_make("CartPole-v1")).spec == spec


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_id_without_a_version_is_the_newest() -> None:
    assert gk.make("gym/CartPole").spec.id == "gym/CartPole-v1"  # type: ignore[union-attr]


def test_unknown_id_is_an_error() -> None:
    with pytest.raises(gk.error.UnregisteredEnv, match="gym has no environment CartPol-v1; did you mean gym/Cart"):
        gk.make("gym/CartPol-v1")


def test_arguments_of_make_replace_those_of_gym() -> None:
    env = gk.make("gym/FrozenLake-v1", map_name="8x8", max_episode_steps=1)
    env.reset(seed=1)

    assert env.observation_space == gk.spaces.Discrete(64)
    assert env.step(0)[3]


@pytest.mark.skipif(VERSION < (0, 22), reason="gym 0.21 renders with an old version of pyglet, which needs a display")
def test_rendered_frame_is_an_image() -> None:
    env = gk.make("gym/CartPole-v1", render_mode="rgb_array")
    env.reset(seed=1)
    frame = np.asarray(env.render())
    env.close()

    assert frame.shape == (400, 600, 3)
    assert frame.dtype == np.uint8
    assert env.unwrapped.render_mode == "rgb_array"


@pytest.mark.skipif(VERSION < (0, 26), reason="before gym 0.26, environments return four values")
@each_id
@each_backend
def test_environments_of_gym_26_need_no_conversion(gym_id: str, vector: Any) -> None:
    envs, single = vector([lambda: gym_make(gym_id)] * 2), gk.wrappers.TimeLimit(gym_make(gym_id), 100)

    assert isinstance(envs.single_action_space, gk.Space)
    assert isinstance(single.action_space, gk.Space)
    np.testing.assert_array_equal(envs.reset(seed=6)[0][1], single.reset(seed=7)[0])
    envs.close()


@pytest.mark.skipif(VERSION >= (0, 26), reason="environments of gym 0.26 need no conversion")
@each_backend
def test_environments_with_four_values_are_rejected(vector: Any) -> None:
    with pytest.raises(Exception, match=r"OpenAI Gym environment .*gymkernel.utils.gym.from_gym") as caught:
        vector([lambda: gym_make("CartPole-v1")] * 2)
    with pytest.raises(TypeError, match="pip install gymkernel-bridge-gym"):
        gk.wrappers.TimeLimit(gym_make("CartPole-v1"), 5)

    assert "TimeLimit" in str(caught.value)


@pytest.mark.parametrize("wrap", [gk.wrappers.TimeLimit, gk.wrappers.vector.RecordEpisodeStatistics])
def test_gym_vector_environment_is_rejected(wrap: Any) -> None:
    envs = gym.vector.make("CartPole-v1", 2, asynchronous=False)
    with pytest.raises(TypeError, match=r"an OpenAI Gym vector environment.*pip install gymkernel-bridge-gym"):
        wrap(envs, 5)


@pytest.mark.skipif(VERSION < (0, 22) or VERSION >= (0, 26), reason="only these versions have new_step_api")
def test_new_step_api_is_recognised() -> None:
    env = from_gym(gym_make("CartPole-v1", new_step_api=True))
    env.reset(seed=1)

    assert len(env.step(0)) == 5


def test_spaces_of_every_kind_are_converted() -> None:
    spaces = gym.spaces
    given = {
        "box": spaces.Box(-1, 1, (2,), np.float32),
        "discrete": spaces.Discrete(3),
        "multi": spaces.MultiDiscrete([2, 3]),
        "binary": spaces.MultiBinary(4),
        "pair": spaces.Tuple([spaces.Discrete(2), spaces.Box(0, 9, (), np.float32)]),
    }
    space = from_gym(spaces.Dict(given))
    space.seed(1)
    sample = space.sample()

    assert isinstance(space, gk.spaces.Dict)
    assert sample in space
    assert all(given[name].contains(sample[name]) for name in given)


@pytest.mark.skipif(VERSION < (0, 26), reason="before version 0.26, gym has no Graph, or its Text hides the characters")
def test_spaces_without_a_fixed_size_are_converted() -> None:
    spaces = gym.spaces
    graph = from_gym(spaces.Graph(spaces.Box(0, 1, (2,)), spaces.Discrete(3)))

    assert isinstance(from_gym(spaces.Text(5)), gk.spaces.Text)
    assert isinstance(from_gym(spaces.Sequence(spaces.Discrete(3))), gk.spaces.Sequence)
    assert isinstance(graph, gk.spaces.Graph)
    assert graph.node_space == gk.spaces.Box(0, 1, (2,))
    assert spaces.Text(5).sample() in from_gym(spaces.Text(5))
