"""Test that Stable-Baselines3 treats images from gymkernel's vector environments like those from `DummyVecEnv`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.preprocessing import is_image_space, is_image_space_channels_first
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, VecMonitor, VecTransposeImage

import gymkernel as gym
from gymkernel.spaces import Box, Dict, Discrete
from gymkernel.vector import AsyncVectorEnv, SyncVectorEnv
from gymkernel_bridge_stable_baselines3 import SB3VecEnv, make_sb3_vec

torch.set_num_threads(1)  # these networks are small, and other tests run at the same time
SMALL: dict[str, Any] = {"n_steps": 8, "batch_size": 8, "n_epochs": 1, "device": "cpu", "seed": 3}


def image(*shape: int, dtype: Any = np.uint8, high: float = 255) -> Any:
    return Box(0, high, shape, dtype)


SPACES: dict[str, Any] = {
    "channels last": image(40, 36, 3),
    "channels first": image(3, 40, 36),
    "grey": image(40, 40, 1),
    "stacked": image(4, 40, 40),
    "floats": image(40, 40, 3, dtype=np.float32, high=1),
    "dark": image(40, 40, 3, high=100),  # this is not an image, because Stable-Baselines3 expects values up to 255
    "two dimensions": image(40, 40),
    "dict": Dict(camera=image(40, 36, 3), speed=Box(-1, 1, (2,)), gear=Discrete(3)),
    "dict of two": Dict(left=image(40, 36, 3), right=image(36, 40, 1)),
}
POLICIES = {"dict": "MultiInputPolicy", "dict of two": "MultiInputPolicy", "floats": "MlpPolicy"}
POLICIES |= {"dark": "MlpPolicy", "two dimensions": "MlpPolicy"}
every_space = pytest.mark.parametrize("kind", SPACES)


class Camera(gym.Env[Any, Any]):
    """An environment whose observations are samples from its observation space. Episodes have five steps."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012
    action_space = Discrete(2)

    def __init__(self, kind: str, render_mode: str | None = None) -> None:
        self.observation_space, self.render_mode = SPACES[kind], render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.steps = 0
        return self.see(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self.steps += 1
        return self.see(), float(action), False, self.steps == 5, {}

    def see(self) -> Any:
        self.observation_space.seed(int(self.np_random.integers(1000)))
        return self.observation_space.sample()

    def render(self) -> Any:
        return np.full((4, 6, 3), self.steps, np.uint8)


def theirs(kind: str, **kwargs: Any) -> Any:
    return DummyVecEnv([lambda: Camera(kind, **kwargs)] * 2)


VECTORS: dict[str, Any] = {
    "sync": lambda kind, **kwargs: SyncVectorEnv([lambda: Camera(kind, **kwargs)] * 2, autoreset_mode="SameStep"),
    "sync, next step": lambda kind, **kwargs: SyncVectorEnv([lambda: Camera(kind, **kwargs)] * 2),
    "async": lambda kind, **kwargs: AsyncVectorEnv([lambda: Camera(kind, **kwargs)] * 2, autoreset_mode="SameStep"),
}
every_backend = pytest.mark.parametrize("make", VECTORS.values(), ids=VECTORS)


@every_space
@every_backend
def test_image_model_learns_as_with_dummy_vec_env(make: Any, kind: str) -> None:
    policy = POLICIES.get(kind, "CnnPolicy")
    models = []
    for envs in (make(kind), theirs(kind)):  # train one after the other, because both use torch's global generator
        models.append(PPO(policy, envs, **SMALL).learn(16))
        envs.close()
    ours, reference = models

    assert ours.observation_space == reference.observation_space
    assert isinstance(ours.env, VecTransposeImage) == isinstance(reference.env, VecTransposeImage)
    assert np.array_equal(_numbers(ours.rollout_buffer.observations), _numbers(reference.rollout_buffer.observations))
    for mine, other in zip(ours.policy.parameters(), reference.policy.parameters(), strict=True):
        assert torch.equal(mine, other)


def _numbers(observations: Any) -> Any:
    parts = observations.values() if isinstance(observations, dict) else [observations]
    return np.concatenate([part.reshape(-1) for part in parts])


@pytest.mark.parametrize("kind", [kind for kind in SPACES if not kind.startswith("dict")])
def test_image_spaces_are_recognized(kind: str) -> None:
    space = SPACES[kind]
    same = gymnasium.spaces.Box(space.low, space.high, dtype=space.dtype.type)

    assert is_image_space(space) == is_image_space(same)
    if is_image_space(space):
        assert is_image_space_channels_first(space) == is_image_space_channels_first(same)


@every_space
def test_sb3_checker_accepts_image_environments(kind: str) -> None:
    check_env(Camera(kind), warn=False)


@pytest.mark.parametrize("kind", ["channels last", "dict of two"])
def test_frames_are_stacked_as_with_dummy_vec_env(kind: str) -> None:
    envs = [VecFrameStack(item, 3) for item in (VECTORS["sync"](kind), theirs(kind))]
    seen = []
    for env in envs:
        env.seed(1)
        first = [_numbers(env.reset())]
        seen.append(first + [_numbers(env.step(np.ones(2, np.int64))[0]) for _ in range(7)])

    assert envs[0].observation_space == envs[1].observation_space
    assert all(np.array_equal(a, b) for a, b in zip(*seen, strict=True))


@pytest.mark.parametrize("backend", [None, "sync", "async"])
@pytest.mark.parametrize("mode", ["rgb_array", "rgb_array_list", "ansi", None])
@pytest.mark.filterwarnings("ignore:You tried to call render")
def test_render_modes_equal_make_vec_env(mode: str | None, backend: str | None) -> None:
    ours = make_sb3_vec("gymnasium/FrozenLake-v1", 2, backend, render_mode=mode)
    theirs = make_vec_env("FrozenLake-v1", 2, env_kwargs={"render_mode": mode})
    seen = []
    for envs in (ours, theirs):
        envs.reset()
        envs.step(np.zeros(2, np.int64))
        picture = envs.render()
        seen.append((envs.render_mode, None if picture is None else picture.shape, envs.metadata["render_fps"]))
        envs.close()

    assert seen[0] == seen[1]


@pytest.mark.parametrize("mode", ["rgb_array", "ansi"])
def test_vectorised_form_is_rendered(mode: str) -> None:
    class Form(gym.vector.VectorEnv[Any, Any, Any]):
        num_envs, render_mode = 2, mode
        single_observation_space, single_action_space = Discrete(3), Discrete(2)
        metadata = {"autoreset_mode": "SameStep", "render_fps": 7}  # noqa: RUF012

        def render(self) -> Any:
            return tuple(np.zeros((2, 3, 3), np.uint8) if mode == "rgb_array" else "lake" for _ in range(2))

        def call(self, name: str, *args: Any, **kwargs: Any) -> Any:
            raise AttributeError(name)  # this is true of every feature that requires individual environments

    picture = VecMonitor(SB3VecEnv(Form())).render()

    assert picture is None if mode == "ansi" else picture.shape == (4, 3, 3)


@every_backend
def test_frames_are_rendered_as_with_dummy_vec_env(make: Any) -> None:
    envs = [SB3VecEnv(make("dark", render_mode="rgb_array")), theirs("dark", render_mode="rgb_array")]
    pictures = []
    for env in envs:
        env.reset()
        env.step(np.ones(2, np.int64))
        pictures.append((env.render(), env.render("rgb_array"), env.render_mode, env.metadata["render_fps"]))
        env.close()

    assert np.array_equal(pictures[0][0], pictures[1][0])
    assert np.array_equal(pictures[0][1], pictures[1][1])
    assert pictures[0][2:] == pictures[1][2:]
