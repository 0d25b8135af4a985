"""Test the conversion of environments that imitate several versions of gym, without using gym itself."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.old_gym.duck_typed import Crafter, Walk, Walk25, Walk26

import gymkernel as gk
from gymkernel.utils.env_checker import check_env
from gymkernel.vector import AsyncVectorEnv, SyncVectorEnv
from gymkernel_bridge_gym import GymEnv, from_gym, make_gym

VERSIONS = {"0.21": Walk, "0.25": Walk25, "0.25 with five values": partial(Walk25, new_step_api=True), "0.26": Walk26}
each_version = pytest.mark.parametrize("create", VERSIONS.values(), ids=list(VERSIONS))


@each_version
def test_trajectory_is_the_same_as_in_the_original(create: Any) -> None:
    env, original = from_gym(create()), Walk()
    original.seed(5)

    for seed in (5, None, None):
        np.testing.assert_array_equal(env.reset(seed=seed)[0], original.reset())
        done = False
        while not done:
            observation, reward, terminated, truncated, _ = env.step(1)
            expected, expected_reward, done, info = original.step(1)
            np.testing.assert_array_equal(observation, expected)
            assert reward == expected_reward
            assert (terminated, truncated) == (done and not info, bool(info))


@each_version
@pytest.mark.parametrize("vector", [SyncVectorEnv, pytest.param(AsyncVectorEnv, marks=pytest.mark.slow)])
def test_vector_environment_steps_converted_environments(create: Any, vector: Any) -> None:
    envs, single = vector([lambda: from_gym(create())] * 3), from_gym(create())
    observations, _ = envs.reset(seed=4)
    first, _ = single.reset(seed=5)

    np.testing.assert_array_equal(observations[1], first)
    for _ in range(9):
        observations, _, _, truncations, _ = envs.step(np.ones(3, np.int64))
        np.testing.assert_array_equal(observations[1], single.step(1)[0])
    assert truncations.all()
    envs.close()


@each_version
def test_wrappers_accept_converted_environments(create: Any) -> None:
    env = gk.wrappers.RecordEpisodeStatistics(gk.wrappers.TimeLimit(from_gym(create()), 3))
    env.reset(seed=1)

    assert [env.step(0)[3] for _ in range(3)] == [False, False, True]


@each_version
def test_checker_finds_no_errors(create: Any) -> None:
    check_env(from_gym(create()), skip_render_check=True)


@each_version
def test_render_mode_reaches_the_environment(create: Any) -> None:
    original = create(render_mode="ansi") if create is Walk26 else create()
    env = from_gym(original, render_mode="ansi")
    env.reset(seed=1)
    env.step(0)

    assert env.render() == "ansi 1"
    assert env.metadata["render_modes"] == ["ansi"]
    assert env.metadata["render_fps"] == 7


def test_human_mode_renders_after_every_reset_and_step(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    monkeypatch.setattr(Walk, "render", lambda self, mode="human": seen.append(f"{mode} {self.steps}"))
    env = from_gym(Walk(), render_mode="human")
    env.reset(seed=1)
    env.step(0)

    assert seen == ["human 0", "human 1"]


def test_rendering_without_a_mode_warns() -> None:
    env = from_gym(Walk())
    env.reset()

    with pytest.warns(UserWarning, match="no render mode was given"):
        assert env.render() is None


def test_options_reach_an_environment_that_has_them() -> None:
    assert from_gym(Walk26()).reset(options={"far": True})[1] == {"options": {"far": True}}
    assert from_gym(Walk()).reset(options={"far": True})[1] == {}


def test_seed_of_the_constructor_creates_a_new_environment() -> None:
    env = from_gym(Crafter)
    first, second, third = (env.reset(seed=seed)[0] for seed in (7, 8, 7))

    np.testing.assert_array_equal(first, third)
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(first, Crafter(seed=7).reset())


def test_ignored_seed_is_reported_once() -> None:
    env = from_gym(Crafter())
    with pytest.warns(UserWarning, match="The seed is ignored, because Crafter has neither a method seed"):
        env.reset(seed=7)
    env.reset(seed=8)


def test_environment_without_metadata_can_be_rendered() -> None:
    env = from_gym(Crafter(seed=1), render_mode="rgb_array")
    env.reset()

    assert env.render().shape == (4, 4, 3)
    assert env.metadata["render_modes"] == ["rgb_array"]


def test_other_attributes_are_those_of_the_environment() -> None:
    original = Walk()
    env = from_gym(original)

    assert env.colour == "red"
    assert env.env is original
    env.close()
    assert original.closed
    with pytest.raises(AttributeError, match="no attribute 'size'"):
        _ = env.size


class Pair:
    """An environment whose observation is an (integer, dictionary) pair, like an (observation, info) pair."""

    observation_space: Any = gk.spaces.Tuple([gk.spaces.Discrete(2), gk.spaces.Dict(a=gk.spaces.Discrete(2))])
    action_space: Any = gk.spaces.Discrete(2)

    def reset(self) -> Any:
        return 1, {"a": 0}

    def step(self, action: Any) -> Any:
        return (1, {"a": 0}), 0.0, False, {}


def test_observation_that_resembles_a_pair_with_an_info_is_an_observation() -> None:
    assert from_gym(Pair()).reset() == ((1, {"a": 0}), {})


class Four(gk.Env[Any, Any]):
    """A gymkernel environment whose `step` returns four values."""

    observation_space = action_space = gk.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return 0, {}

    def step(self, action: Any) -> Any:
        return 0, 1.0, True, {}


def test_gymkernel_environment_with_four_values_is_converted() -> None:
    env = from_gym(Four())
    env.reset()

    assert env.step(0) == (0, 1.0, True, False, {})


def test_gymkernel_environment_is_returned_unchanged() -> None:
    env = gk.Env[Any, Any]()

    assert from_gym(env) is env


@pytest.mark.parametrize("thing", [7, None, "CartPole-v1"])
def test_other_objects_are_rejected(thing: Any) -> None:
    with pytest.raises(TypeError, match="from_gym expects an environment or a space"):
        from_gym(thing)
    with pytest.raises(TypeError, match="GymEnv expects an environment"):
        GymEnv(thing)


def test_vector_environment_is_rejected() -> None:
    envs = SyncVectorEnv([lambda: from_gym(Walk())] * 2)
    with pytest.raises(TypeError, match="expects a single environment, got a vector environment"):
        from_gym(envs)


def test_function_that_creates_no_environment_is_rejected() -> None:
    with pytest.raises(TypeError, match="GymEnv expects an environment, got int, no object with reset and step"):
        from_gym(int)


def test_id_of_a_class_needs_no_gym() -> None:
    env = gk.make("gym/tests.old_gym.duck_typed:Crafter", max_episode_steps=2)
    first, _ = env.reset(seed=7)

    np.testing.assert_array_equal(first, Crafter(seed=7).reset())
    assert [env.step(0)[3] for _ in range(2)] == [False, True]
    assert env.spec is not None
    assert env.spec.id == "gym/tests.old_gym.duck_typed:Crafter"
    assert make_gym("tests.old_gym.duck_typed:Walk", render_mode="ansi").render_mode == "ansi"


def test_unknown_module_is_named() -> None:
    with pytest.raises(gk.error.UnregisteredEnv, match="No module named 'no_such_module'"):
        gk.make("gym/no_such_module:Maze")


@pytest.mark.slow
def test_missing_gym_is_named_in_a_fresh_process() -> None:
    program = (
        "import gymkernel, importlib.util\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name: None if name == 'gym' else find(name)\n"
        "try:\n    gymkernel.make('gym/CartPole-v1')\nexcept gymkernel.error.UnregisteredEnv as exc:\n    print(exc)"
    )
    folder = Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder)

    assert 'run: pip install "gymkernel[gym]"' in done.stdout


def test_loading_the_hook_imports_neither_gym_nor_spaces() -> None:
    code = "import sys, gymkernel_bridge_gym.resolve; print({'gym', 'gymkernel_space_box'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "set()\n"
