"""Tests of typical first programs with Stable-Baselines3, which use gymkernel's environments instead of Gymnasium's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3 import A2C, DQN, PPO, SAC
from stable_baselines3.common.atari_wrappers import AtariWrapper
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_atari_env, make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    SubprocVecEnv,
    VecFrameStack,
    VecNormalize,
    VecTransposeImage,
)

import gymkernel as gym
from gymkernel_bridge_stable_baselines3 import make_sb3_vec

torch.set_num_threads(1)  # the networks are small, and other tests run in parallel
SMALL: dict[str, Any] = {"n_steps": 16, "batch_size": 16, "n_epochs": 1, "device": "cpu"}


def make() -> Any:
    return gym.make("CartPole-v1")


ENVIRONMENTS: dict[str, Callable[[], Any]] = {
    "an environment": make,
    "Monitor": lambda: Monitor(make()),
    "DummyVecEnv": lambda: DummyVecEnv([make] * 2),
    "SubprocVecEnv": lambda: SubprocVecEnv([make] * 2),
    "make_vec_env": lambda: make_vec_env(make, 2),
    "make_vec_env, lambda": lambda: make_vec_env(lambda: gym.make("CartPole-v1"), 2),
    "make_vec_env, processes": lambda: make_vec_env(make, 2, vec_env_cls=SubprocVecEnv),
    "make_vec_env, wrapper_class": lambda: make_vec_env(make, 2, wrapper_class=gym.wrappers.FlattenObservation),
    "VecNormalize": lambda: VecNormalize(make_vec_env(make, 2)),
    "a wrapper of gymkernel": lambda: gym.wrappers.RecordEpisodeStatistics(make()),
    "a wrapper of Gymnasium": lambda: gymnasium.wrappers.TimeLimit(make(), 20),
    "a vector environment": lambda: gym.make_vec("CartPole-v1", 2),
    "make_sb3_vec": lambda: make_sb3_vec("CartPole-v1", 2),
}


@pytest.mark.parametrize("given", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_ppo_learns_and_is_evaluated(given: Callable[[], Any]) -> None:
    envs = given()
    model = PPO("MlpPolicy", envs, seed=1, **SMALL)
    model.learn(64)
    mean, _ = evaluate_policy(model, envs, 2, warn=False)
    envs.close()

    assert mean > 0
    assert isinstance(model.observation_space, gymnasium.spaces.Box)
    assert isinstance(model.action_space, gym.spaces.Discrete)


@pytest.mark.parametrize("algorithm, env_id", [(A2C, "CartPole-v1"), (DQN, "CartPole-v1"), (SAC, "Pendulum-v1")])
def test_other_algorithms_learn(algorithm: Any, env_id: str) -> None:
    assert algorithm("MlpPolicy", gym.make(env_id), device="cpu").learn(120).num_timesteps >= 120


@pytest.mark.parametrize("env_id", ["CartPole-v1", "Pendulum-v1", "FrozenLake-v1", "Taxi-v4"])
def test_sb3_checker_accepts_created_environments(env_id: str) -> None:
    check_env(gym.make(env_id, render_mode="rgb_array"), warn=False, skip_render_check=False)


def test_same_seed_trains_the_same_network_as_with_gymnasium() -> None:
    ours, theirs = (
        PPO("MlpPolicy", library.make("CartPole-v1"), seed=1, **SMALL).learn(256) for library in (gym, gymnasium)
    )

    for mine, other in zip(ours.policy.parameters(), theirs.policy.parameters(), strict=True):
        assert torch.equal(mine, other)


@pytest.mark.parametrize(
    "env_id, library",
    [
        ("CartPole-v1", "gymnasium"),
        ("gymkernel/CartPole-v1", "gymkernel_env_classic_control"),
        ("gymkernel_bridge_gymnasium:gymkernel/CartPole-v1", "gymkernel_env_classic_control"),
    ],
)
@pytest.mark.parametrize("way", ["PPO", "make_vec_env"])
def test_string_id_is_gymnasiums_unless_it_names_gymkernel(way: str, env_id: str, library: str) -> None:
    envs: Any = PPO("MlpPolicy", env_id, **SMALL).get_env() if way == "PPO" else make_vec_env(env_id, 1)
    env = envs.envs[0].unwrapped

    assert type(getattr(env, "kernel_env", env).unwrapped).__module__.partition(".")[0] == library


class SmallImages(BaseFeaturesExtractor):  # type: ignore[misc,unused-ignore]
    """A network for images of 7 by 7 pixels, because the network of `CnnPolicy` needs larger images."""

    def __init__(self, observation_space: Any, features_dim: int = 16) -> None:
        super().__init__(observation_space, features_dim)
        self.cnn = torch.nn.Sequential(torch.nn.Conv2d(observation_space.shape[0], 8, 2), torch.nn.Flatten())
        with torch.no_grad():
            width = self.cnn(torch.as_tensor(observation_space.sample()[None]).float()).shape[1]
        self.linear = torch.nn.Linear(width, features_dim)

    def forward(self, observations: Any) -> Any:
        return self.linear(self.cnn(observations))


def _minigrid(name: str) -> tuple[str, list[Any], dict[str, Any]]:
    """Return the policy, its arguments and the wrappers for a kind of MiniGrid observation."""
    from minigrid import wrappers

    small = {"features_extractor_class": SmallImages}
    both: Callable[[Any], Any] = lambda env: wrappers.ImgObsWrapper(wrappers.RGBImgObsWrapper(env))  # noqa: E731
    chosen: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
        "image": ("CnnPolicy", [wrappers.ImgObsWrapper], small),
        "pixels": ("CnnPolicy", [both], {}),
        "pixels, one after the other": ("CnnPolicy", [wrappers.RGBImgObsWrapper, wrappers.ImgObsWrapper], {}),
        "flat": ("MlpPolicy", [wrappers.FlatObsWrapper], {}),
        "dict without the mission": (
            "MultiInputPolicy",
            [
                wrappers.RGBImgPartialObsWrapper,
                lambda env: gym.wrappers.FilterObservation(env, ["image", "direction"]),
            ],
            {},
        ),
    }
    return chosen[name]


@pytest.mark.parametrize("backend", ["sync", "async"])
@pytest.mark.parametrize("name", ["image", "pixels", "pixels, one after the other", "flat", "dict without the mission"])
def test_minigrid_observations_are_handled_as_by_dummy_vec_env(name: str, backend: str) -> None:
    pytest.importorskip("minigrid", reason="`tox run -e stable-baselines3` installs it")
    policy, wrappers, more = _minigrid(name)
    models = []
    for make_envs in (_minigrid_of_sb3, _minigrid_here):
        envs = make_envs(wrappers, backend)
        models.append(PPO(policy, envs, policy_kwargs=more, seed=1, **SMALL).learn(32))
        envs.close()
    theirs, ours = models

    assert ours.observation_space == theirs.observation_space
    assert isinstance(ours.env, VecTransposeImage) == isinstance(theirs.env, VecTransposeImage)
    for mine, other in zip(ours.policy.parameters(), theirs.policy.parameters(), strict=True):
        assert torch.equal(mine, other)


def _minigrid_here(wrappers: list[Any], backend: str) -> Any:
    return make_sb3_vec("MiniGrid-Empty-5x5-v0", 2, backend, wrappers=wrappers)


def _minigrid_of_sb3(wrappers: list[Any], _backend: str) -> Any:
    def one() -> Any:
        env = gymnasium.make("MiniGrid-Empty-5x5-v0")
        for wrapper in wrappers:
            env = wrapper(env)
        return env

    return DummyVecEnv([lambda: Monitor(one())] * 2)


def test_minigrid_mission_error_names_a_wrapper() -> None:
    pytest.importorskip("minigrid", reason="`tox run -e stable-baselines3` installs it")

    with pytest.raises(TypeError, match=r"not MissionSpace.*'mission'; .*FilterObservation\(env, \['dir"):
        PPO("MultiInputPolicy", gym.make_vec("MiniGrid-Empty-5x5-v0", 2))


def test_sb3_atari_wrappers_work_on_our_environments() -> None:
    pytest.importorskip("ale_py", reason="`tox run -e stable-baselines3` installs it")
    pytest.importorskip("cv2", reason="`tox run -e stable-baselines3` installs it")
    options: dict[str, Any] = {"frameskip": 1, "repeat_action_probability": 0.0}
    ours = make_sb3_vec("ALE/Pong-v5", 2, "sync", seed=1, wrappers=[AtariWrapper], **options)
    theirs = make_atari_env("ALE/Pong-v5", 2, seed=1, env_kwargs=options)
    models = [PPO("CnnPolicy", VecFrameStack(envs, 4), seed=1, **SMALL) for envs in (ours, theirs)]
    shapes = [model.learn(16).observation_space for model in models]
    ours.close()

    assert shapes[0] == shapes[1]
    assert shapes[0].shape == (4, 84, 84)


def test_our_wrappers_produce_trainable_images() -> None:
    envs = make_sb3_vec(
        "CartPole-v1", 1, wrappers=[gym.wrappers.AddRenderObservation, _smaller], render_mode="rgb_array"
    )
    model = PPO("CnnPolicy", envs, **SMALL).learn(16)

    assert isinstance(model.env, VecTransposeImage)
    assert model.observation_space == gymnasium.spaces.Box(0, 255, (3, 50, 75), np.uint8)


def _smaller(env: Any) -> Any:
    space = gym.spaces.Box(0, 255, (50, 75, 3), np.uint8)
    return gym.wrappers.TransformObservation(env, lambda image: image[::8, ::8], space)
