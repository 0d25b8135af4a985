"""Tests that Stable-Baselines3 learns the same on the Box2D and MuJoCo plugins as on Gymnasium's environments.

The environments are equal bit for bit. Therefore, with equal seeds, every step, every episode's return and every
parameter of the policy must be exactly equal.
"""

from __future__ import annotations

import hashlib
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import gymnasium
import pytest
import torch
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

import gymkernel
from gymkernel_bridge_stable_baselines3 import make_sb3_vec

if TYPE_CHECKING:
    from collections.abc import Callable

torch.set_num_threads(1)
ENV_IDS = "LunarLander-v3", "BipedalWalker-v3", "HalfCheetah-v5", "Hopper-v5"
SEED = 5
SAC_CASES = {"HalfCheetah-v5": 100, "Hopper-v5": None, "LunarLanderContinuous-v3": None}
"""The environments with continuous actions, and their step limits; None for the default."""
NUM_ENVS = 3
NUM_STEPS = 3072
"""The number of steps that PPO takes. It is a multiple of the number of environments and of the steps per update."""
PPO_OPTIONS: dict[str, Any] = {"n_steps": 512, "n_epochs": 2, "batch_size": 128, "seed": SEED, "device": "cpu"}
SMALL = {"net_arch": [32, 32]}
SAC_OPTIONS: dict[str, Any] = {"learning_starts": 200, "policy_kwargs": SMALL, "seed": SEED, "device": "cpu"}


class Record(BaseCallback):  # type: ignore[misc,unused-ignore]
    """A callback that records every step, every finished episode, and the parameters before every rollout."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[Any] = []
        self.episodes: list[tuple[int, float, int]] = []
        self.parameters: list[str] = []

    def _on_rollout_start(self) -> None:
        self.parameters.append(digest(self.model))

    def _on_step(self) -> bool:
        seen = self.locals
        self.steps.append([seen[name].tobytes() for name in ("actions", "new_obs", "rewards", "dones")])
        ended = [info["episode"] for info in seen["infos"] if "episode" in info]
        self.episodes += [(self.num_timesteps, float(episode["r"]), int(episode["l"])) for episode in ended]
        return True


def digest(model: Any) -> str:
    """Return a hash of all parameters of a model's policy."""
    found = hashlib.sha256()
    for parameter in model.policy.parameters():
        found.update(parameter.detach().numpy().tobytes())
    return found.hexdigest()


def learn(algorithm: Any, policy: str, envs: Any, num_steps: int, options: dict[str, Any]) -> Record:
    """Train a model, and return the record of the training."""
    record = Record()
    model = algorithm(policy, envs, **options).learn(num_steps, callback=record)
    record.parameters.append(digest(model))
    model.get_env().close()
    return record


def assert_same_learning(ours: Record, theirs: Record) -> None:
    """Check that two trainings are equal, and that episodes ended and the parameters changed."""
    first = next((i for i, pair in enumerate(zip(ours.steps, theirs.steps, strict=True)) if pair[0] != pair[1]), None)
    assert first is None, f"step {first} differs"
    assert ours.episodes == theirs.episodes
    assert ours.parameters == theirs.parameters
    assert len(ours.episodes) >= 3
    assert len(set(ours.parameters)) >= 3


@cache
def ppo_of_gymnasium(env_id: str, num_envs: int) -> Record:
    """Train PPO on Gymnasium's environments in a `DummyVecEnv`."""
    make = partial(gymnasium.make, env_id)
    envs: Any = Monitor(make()) if num_envs == 1 else VecMonitor(DummyVecEnv([make] * num_envs))
    return learn(PPO, "MlpPolicy", envs, NUM_STEPS, PPO_OPTIONS)


VECTOR: dict[str, Callable[[str], Any]] = {
    "make_vec": lambda env_id: gymkernel.make_vec(env_id, NUM_ENVS),
    "make_sb3_vec": lambda env_id: make_sb3_vec(env_id, NUM_ENVS),
    "make_sb3_vec, async": lambda env_id: make_sb3_vec(env_id, NUM_ENVS, "async"),
}


def test_ids_refer_to_the_plugins() -> None:
    for env_id in (*ENV_IDS, *SAC_CASES, "CarRacing-v3"):
        ours, theirs = (str(library.spec(env_id).entry_point) for library in (gymkernel, gymnasium))
        assert ours.startswith(("gymkernel_env_box2d.", "gymkernel_env_mujoco.")), env_id
        assert theirs.startswith("gymnasium.envs."), env_id


@pytest.mark.parametrize("env_id", ENV_IDS)
def test_ppo_learns_the_same_in_one_environment(env_id: str) -> None:
    ours = learn(PPO, "MlpPolicy", gymkernel.make(env_id), NUM_STEPS, PPO_OPTIONS)

    assert_same_learning(ours, ppo_of_gymnasium(env_id, 1))


@pytest.mark.parametrize("env_id", ENV_IDS)
@pytest.mark.parametrize("make", VECTOR.values(), ids=VECTOR)
def test_ppo_learns_the_same_in_a_vector_environment(make: Callable[[str], Any], env_id: str) -> None:
    ours = learn(PPO, "MlpPolicy", make(env_id), NUM_STEPS, PPO_OPTIONS)

    assert_same_learning(ours, ppo_of_gymnasium(env_id, NUM_ENVS))


@pytest.mark.parametrize("env_id, limit", SAC_CASES.items())
def test_sac_learns_the_same(env_id: str, limit: int | None) -> None:
    ours, theirs = (
        learn(SAC, "MlpPolicy", library.make(env_id, max_episode_steps=limit), 500, SAC_OPTIONS)
        for library in (gymkernel, gymnasium)
    )

    assert_same_learning(ours, theirs)


def test_ppo_learns_the_same_from_images() -> None:
    options: dict[str, Any] = {**PPO_OPTIONS, "n_steps": 64, "n_epochs": 1, "batch_size": 64}
    ours, theirs = (
        learn(PPO, "CnnPolicy", library.make("CarRacing-v3", max_episode_steps=60), 256, options)
        for library in (gymkernel, gymnasium)
    )

    assert_same_learning(ours, theirs)
