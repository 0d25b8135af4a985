"""Tests that module paths below gymkernel refer to Gymnasium's simulator modules, and that their classes work."""

from __future__ import annotations

import os
import pickle
from importlib import import_module
from typing import Any

import pytest

import gymkernel as gym

os.environ.setdefault("MUJOCO_GL", "disabled")  # no test renders with MuJoCo
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # third-party packages emit many warnings

CLASSES = [
    ("envs.box2d", "LunarLander"),
    ("envs.box2d.bipedal_walker", "BipedalWalker"),
    ("envs.box2d.car_racing", "CarRacing"),
    ("envs.box2d.lunar_lander", "LunarLander"),
    ("envs.mujoco", "MujocoEnv"),
    ("envs.mujoco.ant_v5", "AntEnv"),
    ("envs.mujoco.mujoco_env", "MujocoEnv"),
    ("envs.mujoco.mujoco_rendering", "MujocoRenderer"),
]


@pytest.mark.parametrize("path, name", CLASSES)
def test_path_is_gymnasiums_module(path: str, name: str) -> None:
    module = import_module(f"gymkernel.{path}")
    assert module is import_module(f"gymnasium.{path}")
    assert module.__name__ == f"gymnasium.{path}"
    assert pickle.loads(pickle.dumps(getattr(module, name))) is getattr(module, name)
    assert gym.envs.box2d.LunarLander is import_module("gymnasium.envs.box2d.lunar_lander").LunarLander


@pytest.mark.parametrize("path, name", [("envs.box2d.lunar_lander", "LunarLander"), ("envs.mujoco.ant_v5", "AntEnv")])
def test_derived_class_can_be_registered_wrapped_and_batched(path: str, name: str) -> None:
    base: Any = getattr(import_module(f"gymkernel.{path}"), name)

    class Doubled(base):  # type: ignore[misc] # whatever class it is
        def step(self, action: Any) -> Any:
            observation, reward, *rest = super().step(action)
            return observation, 2 * reward, *rest

    gym.register("Doubled-v0", entry_point=Doubled, max_episode_steps=3)
    try:
        env, plain = gym.make("Doubled-v0"), base()
        action = env.action_space.sample()
        assert (env.reset(seed=3)[0] == plain.reset(seed=3)[0]).all()
        assert env.step(action)[1] == pytest.approx(2 * plain.step(action)[1])
        assert [env.step(action)[3] for _ in range(2)] == [False, True]
        envs = gym.make_vec("Doubled-v0", 2, "sync")
        assert envs.reset(seed=3)[0] in envs.observation_space
    finally:
        gym.registry.pop("Doubled-v0")


@pytest.mark.parametrize(
    "env_id, path, name",
    [
        ("Ant-v5", "envs.mujoco", "MujocoEnv"),
        ("Ant-v5", "envs.mujoco.ant_v5", "AntEnv"),
        ("BipedalWalker-v3", "envs.box2d.bipedal_walker", "BipedalWalker"),
    ],
)
def test_created_environment_has_the_class_at_its_path(env_id: str, path: str, name: str) -> None:
    env = gym.make(env_id)
    assert isinstance(env.unwrapped, getattr(import_module(f"gymkernel.{path}"), name))
    assert repr(gym.wrappers.RescaleAction(env, 0, 1).unwrapped) == repr(env.unwrapped)
