"""Tests that Stable-Baselines3 gives the same results with gymkernel's backends as with `DummyVecEnv`."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv

import gymkernel as gym
from gymkernel_bridge_gymnasium import to_gymnasium
from gymkernel_bridge_stable_baselines3 import SB3VecEnv, make_sb3_vec

if TYPE_CHECKING:
    from pathlib import Path

backends = pytest.mark.parametrize("backend", ["sync", "async"])


def trajectory(envs: Any, steps: int = 120) -> list[Any]:
    rng = np.random.default_rng(4)
    envs.seed(7)
    seen: list[Any] = [envs.reset()]
    for _ in range(steps):
        observations, rewards, dones, infos = envs.step(rng.integers(2, size=envs.num_envs))
        last = [info.get("terminal_observation") for info in infos]
        seen += [observations, rewards, dones, [info["TimeLimit.truncated"] for info in infos]]
        seen += [item for item in last if item is not None]
    return seen


@backends
@pytest.mark.parametrize("mode", ["SameStep", "NextStep", "Disabled"])
def test_backend_equals_dummy_vec_env(backend: str, mode: str) -> None:
    envs = make_sb3_vec("CartPole-v1", 3, backend, vector_kwargs={"autoreset_mode": mode})
    seen = trajectory(envs)
    envs.close()
    reference = trajectory(DummyVecEnv([lambda: gymnasium.make("CartPole-v1")] * 3))

    assert len(seen) == len(reference)
    assert all(np.array_equal(a, b) for a, b in zip(seen, reference, strict=True))


@backends
def test_worker_environments_are_accessed_by_index(backend: str) -> None:
    envs = make_sb3_vec("CartPole-v1", 3, backend, seed=1)
    envs.reset()
    envs.set_attr("length", 0.7, indices=[0, 2])
    lengths, limits = envs.get_attr("length"), envs.env_method("get_wrapper_attr", "length", indices=2)
    wrapped = envs.env_is_wrapped(gym.wrappers.TimeLimit), envs.env_is_wrapped(Monitor, indices=1)
    missing = envs.has_attr("no_such_thing")
    envs.close()

    assert (lengths, limits) == ([0.7, 0.5, 0.7], [0.7])
    assert wrapped == ([True] * 3, [False])
    assert not missing


@backends
def test_frames_come_from_every_environment(backend: str) -> None:
    envs = make_sb3_vec("CartPole-v1", 2, backend, render_mode="rgb_array")
    envs.reset()
    tiled = envs.render()
    envs.close()

    assert tiled is not None
    assert tiled.shape == (800, 600, 3)


def test_vectorised_form_works() -> None:
    envs = SB3VecEnv(gym.make_vec("CartPole-v1", 3))
    envs.seed(1)
    envs.reset()
    dones = [envs.step(np.ones(3, np.int64))[2] for _ in range(30)]

    assert np.any(dones)


def test_sb3_checker_accepts_the_environment() -> None:
    check_env(to_gymnasium(gym.make("CartPole-v1", render_mode="rgb_array")), skip_render_check=False)


@pytest.mark.slow
def test_ppo_learns_with_workers_and_loads_without_gymkernel(tmp_path: Path) -> None:
    torch.set_num_threads(1)  # the workers need the other cores
    envs = make_sb3_vec("CartPole-v1", 8, "async", seed=1)
    model = PPO(
        "MlpPolicy",
        envs,
        n_steps=32,
        batch_size=256,
        gae_lambda=0.8,
        gamma=0.98,
        n_epochs=20,
        learning_rate=lambda left: 1e-3 * left,
        clip_range=lambda left: 0.2 * left,
        seed=1,
        device="cpu",
    )
    model.learn(100_000)
    envs.close()
    model.save(tmp_path / "cartpole")
    judges = make_sb3_vec("CartPole-v1", 4, "sync", seed=99)

    mean, _ = evaluate_policy(PPO.load(tmp_path / "cartpole", device="cpu"), judges, 20, warn=False)

    print(f"mean return {mean}")
    assert mean > 400
    code = (
        "import sys; sys.modules['gymkernel'] = None\n"
        "import gymnasium\nfrom stable_baselines3 import PPO\n"
        "from stable_baselines3.common.evaluation import evaluate_policy\n"
        f"model = PPO.load({str(tmp_path / 'cartpole')!r}, device='cpu')\n"
        "print(evaluate_policy(model, gymnasium.make('CartPole-v1'), 5, warn=False)[0] > 400)"
    )
    alone = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert alone.stdout.strip() == "True"
