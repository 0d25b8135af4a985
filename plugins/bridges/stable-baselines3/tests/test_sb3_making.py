"""Test which vector environment `make_sb3_vec` creates, and which wrappers it adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor

import gymkernel as gym
from gymkernel.spaces import Box, Discrete, Text
from gymkernel.vector import AsyncVectorEnv, SyncVectorEnv
from gymkernel_bridge_stable_baselines3 import SB3VecEnv, make_sb3_vec

torch.set_num_threads(1)  # these networks are small, and other tests run at the same time
SMALL: dict[str, Any] = {"n_steps": 32, "batch_size": 32, "n_epochs": 1, "device": "cpu"}


class Talking(gym.Env[Any, Any]):
    """An environment whose observations are words, which no algorithm supports."""

    observation_space, action_space = Text(4), Discrete(2)


class OnlyAlone(gym.Env[Any, Any]):
    """An environment that has no vectorised version."""

    observation_space, action_space = Box(0, 1, (1,)), Discrete(2)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        return np.zeros(1, np.float32), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        return np.zeros(1, np.float32), 1.0, True, False, {}


@pytest.fixture(autouse=True)
def _ids() -> Iterator[None]:
    ids = {f"tests/{cls.__name__}-v0": cls for cls in (Talking, OnlyAlone)}
    for env_id, cls in ids.items():
        gym.register(env_id, entry_point=cls)
    yield
    for env_id in ids:
        gym.registry.pop(env_id)


def inside(envs: Any) -> Any:
    while isinstance(envs, VecMonitor):
        envs = envs.venv
    return envs.env.unwrapped


@pytest.mark.parametrize(
    "env_id, more, cls",
    [
        ("CartPole-v1", {}, type(gym.make_vec("CartPole-v1").unwrapped)),
        ("CartPole-v1", {"wrappers": [gym.Wrapper]}, SyncVectorEnv),
        ("CartPole-v1", {"vector_kwargs": {"copy": False}}, SyncVectorEnv),
        ("CartPole-v1", {"backend": "vector_entry_point"}, type(gym.make_vec("CartPole-v1").unwrapped)),
        ("CartPole-v1", {"backend": "sync"}, SyncVectorEnv),
        ("CartPole-v1", {"backend": "async"}, AsyncVectorEnv),
        ("gymnasium/CartPole-v1", {}, SyncVectorEnv),  # its vectorised version cannot reset individual environments
        ("tests/OnlyAlone-v0", {}, SyncVectorEnv),
    ],
)
def test_requested_backend_or_vectorised_form_is_used(env_id: str, more: Any, cls: type) -> None:
    envs = make_sb3_vec(env_id, 2, **more)
    envs.reset()
    envs.step(np.zeros(2, np.int64))
    envs.close()

    assert type(inside(envs)) is cls


def test_unknown_id_raises_the_error_of_make_vec() -> None:
    with pytest.raises(gym.error.NameNotFound, match="Cartpole"):
        make_sb3_vec("Cartpole-v1", 2)


@pytest.mark.parametrize("backend", [None, "sync"])
def test_episode_returns_are_logged(backend: str | None) -> None:
    model = PPO("MlpPolicy", make_sb3_vec("CartPole-v1", 4, backend, seed=1), seed=1, **SMALL)

    model.learn(512)

    assert model.ep_info_buffer
    assert all(episode["r"] == episode["l"] > 0 for episode in model.ep_info_buffer)


def test_monitor_can_be_omitted() -> None:
    assert isinstance(make_sb3_vec("CartPole-v1", 2), VecMonitor)
    assert isinstance(make_sb3_vec("CartPole-v1", 2, monitor=False), SB3VecEnv)


@pytest.mark.parametrize("backend", ["sync", "async"])
def test_existing_monitor_is_not_duplicated(backend: str) -> None:
    envs = make_sb3_vec("tests/OnlyAlone-v0", 2, backend, wrappers=[Monitor])
    envs.reset()
    infos = envs.step(np.zeros(2, np.int64))[3]
    envs.close()

    assert isinstance(envs, SB3VecEnv)
    assert [(info["episode"]["r"], info["episode"]["l"]) for info in infos] == [(1.0, 1)] * 2


def test_seeds_reach_the_environments() -> None:
    ours = make_sb3_vec("CartPole-v1", 2, "sync", seed=5).reset()

    assert np.array_equal(ours[1], gymnasium.make("CartPole-v1").reset(seed=6)[0])


def test_unusable_environment_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []
    monkeypatch.setattr(Talking, "close", lambda _self: closed.append(1))

    with pytest.raises(TypeError, match="supports the observation spaces Box"):
        make_sb3_vec("tests/Talking-v0", 2)

    assert closed == [1, 1]
