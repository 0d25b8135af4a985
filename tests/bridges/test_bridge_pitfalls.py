"""Tests that the bridge avoids the mistakes of other bridges. The number in a test's name denotes the mistake."""

from __future__ import annotations

import importlib.metadata
import pickle
import subprocess
import sys
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces as theirs
from gymnasium.utils.env_checker import check_env

import gymkernel as gym
from gymkernel.spaces import Box, Dict, Discrete, Graph
from gymkernel.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv
from gymkernel_bridge_gymnasium import (
    GymnasiumEnv,
    GymnasiumVectorEnv,
    KernelEnv,
    KernelVectorEnv,
    from_gymnasium,
    register_ids,
    to_gymnasium,
)


class Boiler(gym.Env[Any, Any]):
    """A gymkernel environment with attributes that users set."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 7}  # noqa: RUF012

    def __init__(self, render_mode: str | None = None) -> None:
        self.observation_space: Any = Dict([("z", Box(0, 1, (2,))), ("a", Discrete(3))])
        self.action_space = Discrete(2)
        self.render_mode = render_mode
        self.heat = 1.0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.observation_space.seed(int(self.np_random.integers(99)))
        self.left = 3
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.left -= 1
        return self.observation_space.sample(), self.heat, self.left == 0, False, {"left": self.left}

    def render(self) -> Any:
        return np.zeros((2, 2, 3), np.uint8)


class Roads(Boiler):
    """An environment whose observations are graphs, for which each library has its own class."""

    def __init__(self) -> None:
        super().__init__()
        self.observation_space = Graph(Box(0, 1, (2,)), Discrete(3))


class Outside(gymnasium.Env[Any, Any]):
    """An environment that returns rewards of many types and, like Meta-World, observations outside its space."""

    REWARDS = (1, 2.0, np.float64(3), np.float32(4), np.array(5.0), np.array([6.0]))

    def __init__(self) -> None:
        self.observation_space = theirs.Box(0, 1, (2,), np.float64)
        self.action_space = theirs.Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.time = 0
        return np.array([2.0, -3.0]), {}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        self.time += 1
        return np.array([2.0, 7.0]), self.REWARDS[self.time - 1], self.time == len(self.REWARDS), False, {}


def test_1_gymnasiums_checker_reads_the_generator_from_a_private_attribute() -> None:
    env = KernelEnv(gym.make("CartPole-v1", disable_env_checker=True))
    env.reset(seed=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env, skip_render_check=True)

    env.reset(seed=4)

    assert env._np_random is env.kernel_env.unwrapped.np_random
    assert env._np_random_seed == 4


def test_1_assigned_generator_reaches_the_inner_environment() -> None:
    env = KernelEnv(gym.make("CartPole-v1"))
    env.np_random = np.random.default_rng(3)

    assert env.kernel_env.unwrapped.np_random is env.np_random
    assert env.np_random_seed == -1


@pytest.mark.parametrize("how", ["set_wrapper_attr", "setattr"])
def test_2_attributes_are_set_on_the_inner_environment(how: str) -> None:
    boiler = Boiler()
    ours, back = KernelEnv(gym.Wrapper(boiler)), GymnasiumEnv(gymnasium.wrappers.TimeLimit(KernelEnv(boiler), 5))

    for env, value in ((ours, 2.0), (back, 3.0)):
        env.set_wrapper_attr("heat", value) if how == "set_wrapper_attr" else setattr(env, "heat", value)

        assert boiler.heat == value
        assert env.heat == env.get_wrapper_attr("heat") == value


def test_2_unknown_attribute_is_set_on_the_bridge_only_with_force() -> None:
    env = KernelEnv(Boiler())

    assert not env.set_wrapper_attr("cold", 1, force=False)
    assert not env.has_wrapper_attr("cold")
    assert env.set_wrapper_attr("cold", 1)
    assert not hasattr(env.kernel_env, "cold")
    assert env.cold == 1


def test_2_vector_environments_forward_set_attr_and_call() -> None:
    ours = KernelVectorEnv(SyncVectorEnv([Boiler, Boiler]))
    theirs_inside = gymnasium.vector.SyncVectorEnv([lambda: KernelEnv(Boiler())] * 2)
    back = GymnasiumVectorEnv(theirs_inside)

    for envs in (ours, back):
        envs.set_attr("heat", [4.0, 5.0])

        assert envs.get_attr("heat") == envs.call("heat") == (4.0, 5.0)


def test_3_human_mode_wraps_an_rgb_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    gym.register("Boiler-v0", Boiler)
    register_ids()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env = gymnasium.make("gymkernel_bridge_gymnasium:Boiler-v0", render_mode="human")

    assert isinstance(env, gymnasium.wrappers.HumanRendering)
    del gym.registry["Boiler-v0"]
    register_ids()


def test_4_limit_and_checker_are_added_once() -> None:
    there = gymnasium.make("gymkernel_bridge_gymnasium:gymkernel/CartPole-v1")
    back = gym.make("gymnasium/CartPole-v1")

    for env in (there, back):
        assert [str(env).count(name) for name in ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker")] == [1, 1, 1]


def test_5_key_order_is_kept_and_observations_flatten_alike() -> None:
    space = Boiler().observation_space
    converted = to_gymnasium(space)
    element = space.sample()

    assert list(converted.spaces) == ["z", "a"]
    flat: Any = gymnasium.spaces.flatten(converted, element)
    assert np.array_equal(gym.spaces.utils.flatten(space, element), flat)


def test_7_unconvertible_space_error_says_what_to_register() -> None:
    class Mood(gym.Space[str]):
        """A third-party space."""

    env = Boiler()
    env.observation_space = Mood()

    with pytest.raises(
        TypeError,
        match=r"No conversion to a space of Gymnasium is known for .*Mood; .*to_gymnasium\.register\(.*Mood\)",
    ):
        KernelEnv(env)


def test_7_our_graphs_are_gymnasium_graphs() -> None:
    env = KernelEnv(Roads())

    assert env.reset(seed=1)[0] in env.observation_space
    assert env.step(0)[0] in env.observation_space


def test_7_final_graphs_of_vector_environments_are_gymnasium_graphs() -> None:
    envs = KernelVectorEnv(SyncVectorEnv([Roads, Roads], autoreset_mode="SameStep"))
    assert envs.reset(seed=1)[0] in envs.observation_space

    for _ in range(3):
        observations, *_, infos = envs.step(np.zeros(2, np.int64))

    assert observations in envs.observation_space
    assert all(item in envs.single_observation_space for item in infos["final_obs"])


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_8_autoreset_mode_is_kept_in_each_librarys_enum(mode: str) -> None:
    ours = KernelVectorEnv(SyncVectorEnv([Boiler], autoreset_mode=mode))
    back = GymnasiumVectorEnv(ours)

    assert ours.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode(mode)
    assert back.metadata["autoreset_mode"] is AutoresetMode(mode)
    assert (ours.autoreset_mode, back.autoreset_mode) == (gymnasium.vector.AutoresetMode(mode), AutoresetMode(mode))


def test_9_ids_are_known_in_spawned_workers() -> None:
    envs = gymnasium.make_vec(
        "gymkernel_bridge_gymnasium:gymkernel/CartPole-v1",
        2,
        vectorization_mode="async",
        vector_kwargs={"context": "spawn"},
    )
    shape = envs.reset(seed=1)[0].shape
    envs.close()

    assert shape == (2, 4)


def test_9_gymnasium_ids_are_known_in_our_spawned_workers() -> None:
    envs = gym.make_vec("gymnasium/Acrobot-v1", 2, "async", {"context": "spawn"})
    shape = envs.reset(seed=1)[0].shape
    envs.close()

    assert shape == (2, 6)


def test_10_pickled_converted_space_loads_without_gymkernel() -> None:
    pickled = pickle.dumps(KernelEnv(gym.make("CartPole-v1")).observation_space)
    code = f"import pickle, sys; print(pickle.loads({pickled!r}).shape, any('gymkernel' in m for m in sys.modules))"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "(4,) False"


def test_11_action_seed_is_separate_from_the_environment_seed() -> None:
    env = KernelEnv(gym.make("CartPole-v1"))
    env.action_space.seed(5)
    first = [env.action_space.sample() for _ in range(8)]
    env.action_space.seed(5)
    env.reset(seed=9)

    assert [env.action_space.sample() for _ in range(8)] == first


@pytest.mark.parametrize("backend", [SyncVectorEnv, AsyncVectorEnv])
def test_11_unusual_observations_and_rewards_are_accepted(backend: Any) -> None:
    envs = backend([Outside, Outside])
    envs.reset(seed=1)
    results = [envs.step(np.zeros(2, np.int64)) for _ in Outside.REWARDS]
    envs.close()

    assert [result[1].tolist() for result in results] == [[float(i)] * 2 for i in range(1, 7)]
    assert results[0][0].tolist() == [[2.0, 7.0]] * 2


def test_11_observation_check_can_be_disabled() -> None:
    gymnasium.register("Outside-v0", f"{__name__}:Outside")

    checked, unchecked = gym.make("gymnasium/Outside-v0"), gym.make("gymnasium/Outside-v0", disable_env_checker=True)

    unchecked.reset(seed=1)
    with pytest.warns(UserWarning, match="observation"):
        checked.reset(seed=1)
    del gymnasium.registry["Outside-v0"]


def test_12_one_distribution_provides_pygame() -> None:
    names = {d.metadata["Name"].lower() for d in importlib.metadata.distributions() if d.metadata["Name"]}
    required = {
        item.split(" ")[0].split(">")[0] for item in importlib.metadata.requires("gymkernel-bridge-gymnasium") or ()
    }

    assert not {"pygame", "pygame-ce"} & required  # the test accepts both pygame and pygame-ce
    assert "gymkernel-bridge-gymnasium" in names


def test_third_party_subclasses_are_converted_as_their_base() -> None:
    class Angle(theirs.Box):
        """A third-party subclass of Box."""

        def __init__(self) -> None:
            super().__init__(-1, 1, (1,), np.float32)

    assert from_gymnasium(Angle()) == Box(-1, 1, (1,))
    assert from_gymnasium(theirs.Tuple([Angle()])) == gym.spaces.Tuple([Box(-1, 1, (1,))])


def test_environments_convert_by_the_same_functions() -> None:
    inner, vector = Boiler(), SyncVectorEnv([Boiler])
    pendulum, pendulums = gymnasium.make("Pendulum-v1"), gymnasium.make_vec("Pendulum-v1", 2)

    assert isinstance(to_gymnasium(inner), KernelEnv)
    assert isinstance(to_gymnasium(vector), KernelVectorEnv)
    assert isinstance(from_gymnasium(pendulum), GymnasiumEnv)
    assert isinstance(from_gymnasium(pendulums), GymnasiumVectorEnv)
    assert to_gymnasium(pendulum) is pendulum
    assert from_gymnasium(inner) is inner


@pytest.mark.parametrize("thing", [3, Boiler, "CartPole-v1"])
def test_unconvertible_object_is_rejected(thing: Any) -> None:
    for convert in (to_gymnasium, from_gymnasium):
        with pytest.raises(TypeError, match="Expected a space or an environment, got"):
            convert(thing)


def test_rendering_and_metadata_are_those_of_the_inner_environment() -> None:
    boiler = Boiler("rgb_array")
    for env in (KernelEnv(boiler), GymnasiumEnv(KernelEnv(boiler))):
        assert env.render().shape == (2, 2, 3)
        assert (env.render_mode, env.metadata["render_fps"]) == ("rgb_array", 7)
