"""Test which objects Stable-Baselines3 accepts when the bridge is installed, and what its saved files contain."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import gymnasium
import pytest
import torch
from stable_baselines3 import A2C, DQN, PPO, SAC
from stable_baselines3.common import base_class, callbacks, evaluation
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecCheckNan,
    VecEnv,
    VecEnvWrapper,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
)

import gymkernel as gym
from gymkernel.utils.gymnasium import to_gymnasium
from gymkernel_bridge_stable_baselines3 import SB3VecEnv, companion

if TYPE_CHECKING:
    from pathlib import Path

torch.set_num_threads(1)  # these networks are small, and other tests run at the same time
SMALL: dict[str, Any] = {"n_steps": 16, "batch_size": 16, "n_epochs": 1, "device": "cpu"}

clipped: Any = gymnasium.wrappers.vector.ClipReward
VECTORS: dict[str, Callable[[], Any]] = {
    "own form": lambda: gym.make_vec("CartPole-v1", 2),
    "sync": lambda: gym.make_vec("CartPole-v1", 2, "sync"),
    "same step": lambda: gym.make_vec("CartPole-v1", 2, "sync", {"autoreset_mode": "SameStep"}),
    "async": lambda: gym.make_vec("CartPole-v1", 2, "async"),
    "gymkernel's wrapper": lambda: gym.wrappers.vector.NormalizeObservation(gym.make_vec("CartPole-v1", 2)),
    "Gymnasium's wrapper": lambda: clipped(gym.make_vec("CartPole-v1", 2), 0, 1),
    "to_gymnasium": lambda: to_gymnasium(gym.make_vec("CartPole-v1", 2, "sync")),
    "Gymnasium's environments": lambda: gym.make_vec("gymnasium/CartPole-v1", 2, "sync"),
}
every_vector = pytest.mark.parametrize("make", VECTORS.values(), ids=VECTORS)


def chain(env: Any) -> list[type]:
    """Return the classes of a `VecEnv` and its wrappers, starting with the outermost wrapper."""
    return [type(env), *(chain(env.venv) if isinstance(env, VecEnvWrapper) else [])]


@every_vector
def test_model_learns_on_a_vector_environment(make: Callable[[], Any]) -> None:
    envs = make()
    model = PPO("MlpPolicy", envs, **SMALL)

    model.learn(128)
    envs.close()

    assert chain(model.get_env()) == [VecMonitor, SB3VecEnv]
    assert model.n_envs == 2
    assert model.ep_info_buffer  # `ep_rew_mean` is computed from this buffer


@every_vector
def test_policy_is_evaluated_on_a_vector_environment(make: Callable[[], Any]) -> None:
    envs = make()

    returns, lengths = evaluate_policy(
        PPO("MlpPolicy", "CartPole-v1", **SMALL), envs, 4, return_episode_rewards=True
    )  # a missing monitor would cause a warning, which is an error here
    envs.close()

    assert len(returns) == 4
    assert returns == [float(length) for length in lengths]


@pytest.mark.parametrize("algorithm", [A2C, DQN, PPO])
def test_every_algorithm_accepts_a_vector_environment(algorithm: Any) -> None:
    model = algorithm("MlpPolicy", gym.make_vec("CartPole-v1", 2), device="cpu")

    assert model.n_envs == 2


def test_continuous_actions_are_supported() -> None:
    model = SAC("MlpPolicy", gym.make_vec("Pendulum-v1", 2), learning_starts=8, batch_size=8, device="cpu")

    assert model.learn(20).num_timesteps == 20


def test_another_vector_environment_can_be_set_and_loaded(tmp_path: Path) -> None:
    model = PPO("MlpPolicy", gym.make_vec("CartPole-v1", 2), **SMALL)
    model.set_env(gym.make_vec("CartPole-v1", 2, "sync"))
    model.learn(32).save(tmp_path / "model")

    loaded = PPO.load(tmp_path / "model", env=gym.make_vec("CartPole-v1", 3), device="cpu")

    assert loaded.n_envs == 3
    assert loaded.learn(48).num_timesteps == 48


def test_callback_evaluates_on_a_vector_environment() -> None:
    callback = EvalCallback(gym.make_vec("CartPole-v1", 2), n_eval_episodes=2, eval_freq=16, verbose=0)

    PPO("MlpPolicy", gym.make_vec("CartPole-v1", 2), **SMALL).learn(32, callback=callback)

    assert callback.last_mean_reward > 0


@pytest.mark.parametrize("wrapper", [VecNormalize, VecCheckNan, VecMonitor, lambda envs: VecFrameStack(envs, 2)])
def test_sb3_wrappers_accept_a_vector_environment(wrapper: Any) -> None:
    wrapped = wrapper(gym.make_vec("CartPole-v1", 2))

    assert wrapped.reset().shape[0] == 2
    assert chain(wrapped)[-2:] == [VecMonitor, SB3VecEnv]
    assert chain(wrapped).count(VecMonitor) == 1


def test_normalization_statistics_can_be_loaded(tmp_path: Path) -> None:
    VecNormalize(gym.make_vec("CartPole-v1", 2)).save(tmp_path / "statistics.pkl")

    loaded = VecNormalize.load(tmp_path / "statistics.pkl", gym.make_vec("CartPole-v1", 3))

    assert loaded.reset().shape == (3, 4)
    assert chain(loaded) == [VecNormalize, VecMonitor, SB3VecEnv]


def test_monitored_environments_get_no_second_monitor() -> None:
    envs = gym.make_vec("CartPole-v1", 2, "sync", wrappers=[Monitor])

    assert chain(PPO("MlpPolicy", envs, **SMALL).get_env()) == [SB3VecEnv]


def test_unconvertible_environment_raises_and_stays_open() -> None:
    envs = gym.make_vec("gymnasium/CartPole-v1", 2)

    with pytest.raises(ValueError, match="use a backend instead"):
        PPO("MlpPolicy", envs)
    assert not envs.closed


@pytest.mark.parametrize(
    "env, expected",
    [
        (lambda: DummyVecEnv([lambda: gymnasium.make("CartPole-v1")]), [DummyVecEnv]),
        (lambda: SB3VecEnv(gym.make_vec("CartPole-v1", 2)), [SB3VecEnv]),
        (lambda: gymnasium.make("CartPole-v1"), [DummyVecEnv]),
        (lambda: gym.make("CartPole-v1"), [DummyVecEnv]),
        (lambda: "CartPole-v1", [DummyVecEnv]),
    ],
)
def test_other_behaviour_is_unchanged(env: Callable[[], Any], expected: list[type]) -> None:
    given = env()

    made = PPO("MlpPolicy", given, **SMALL).get_env()

    assert chain(made) == expected
    assert made is given or not isinstance(given, VecEnv)


def test_gymnasium_vector_environments_are_rejected_as_by_sb3() -> None:
    with pytest.raises(ValueError, match="not a Gymnasium environment"):
        PPO("MlpPolicy", gymnasium.make_vec("CartPole-v1", 2))


def test_companion_patches_once() -> None:
    before = [base_class.BaseAlgorithm.__dict__["_wrap_env"], evaluation.DummyVecEnv, callbacks.DummyVecEnv]

    companion.accept_vector_environments()
    companion.save_spaces_of_gymnasium()

    assert before == [base_class.BaseAlgorithm.__dict__["_wrap_env"], evaluation.DummyVecEnv, callbacks.DummyVecEnv]
    assert isinstance(before[0], staticmethod)


def test_unsupported_sb3_version_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    stripped = type("BaseAlgorithm", (), {})
    monkeypatch.setattr(companion, "base_class", SimpleNamespace(BaseAlgorithm=stripped))

    with pytest.warns(
        UserWarning, match=r"BaseAlgorithm in this version of Stable-Baselines3 has no _wrap_env.*use make_sb3_vec"
    ):
        companion.accept_vector_environments()

    assert not hasattr(stripped, "_wrap_env")


SAVED: dict[str, Callable[[], Any]] = {
    "environment": lambda: gym.make("CartPole-v1"),
    "vector environment": lambda: gym.make_vec("CartPole-v1", 2),
    "SB3VecEnv": lambda: SB3VecEnv(gym.make_vec("CartPole-v1", 2)),
    "DummyVecEnv": lambda: DummyVecEnv([lambda: gym.make("CartPole-v1")]),
    "Monitor": lambda: Monitor(gym.make("CartPole-v1")),
}


@pytest.mark.parametrize("make", SAVED.values(), ids=SAVED)
def test_saved_models_do_not_refer_to_gymkernel(make: Callable[[], Any], tmp_path: Path) -> None:
    model = PPO("MlpPolicy", make(), **SMALL)
    model.save(tmp_path / "model.zip")
    model.policy.save(tmp_path / "policy.zip")
    parts = [zipfile.ZipFile(tmp_path / name) for name in ("model.zip", "policy.zip")]
    texts = [file.read(name) for file in parts for name in file.namelist()]

    assert isinstance(model.action_space, gym.spaces.Discrete)  # it is an instance of both libraries' classes
    assert isinstance(PPO.load(tmp_path / "model.zip", device="cpu").action_space, gym.spaces.Discrete)
    assert b"gymkernel" not in b"".join(texts)


ORDERS = {
    "gymkernel first": "import gymkernel\nfrom stable_baselines3.common.evaluation import evaluate_policy",
    "gymkernel last": "from stable_baselines3.common.evaluation import evaluate_policy\nimport gymkernel",
    "the bridge first": "from gymkernel_bridge_stable_baselines3 import make_sb3_vec\nimport gymkernel\n"
    "from stable_baselines3.common.evaluation import evaluate_policy",
}
PROGRAM = """
from stable_baselines3 import PPO
model = PPO("MlpPolicy", gymkernel.make_vec("CartPole-v1", 2), n_steps=8, batch_size=8, device="cpu")
returns, _ = evaluate_policy(model, gymkernel.make_vec("CartPole-v1", 2), 3, return_episode_rewards=True)
print(model.n_envs, len(returns))
"""


def run(program: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, **variables}
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=environ)


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_import_order_does_not_matter(order: str) -> None:
    done = run(ORDERS[order] + PROGRAM)

    assert done.stdout.split() == ["2", "3"], done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("word", ["companions.stable_baselines3", "gymkernel-bridge-stable-baselines3"])
def test_environment_variable_disables_the_companion(word: str) -> None:
    done = run(ORDERS["gymkernel first"] + PROGRAM, GYMKERNEL_DISABLE=word)

    assert "not a Gymnasium environment" in done.stderr
    assert "SB3VecEnv" not in done.stdout


@pytest.mark.slow
def test_saved_models_learn_without_gymkernel(tmp_path: Path) -> None:
    for number, make in enumerate(SAVED.values()):
        PPO("MlpPolicy", make(), **SMALL).learn(32).save(tmp_path / f"{number}.zip")
    program = f"""
import importlib.abc, pathlib, sys
import gymnasium
from stable_baselines3 import PPO
class Refuse(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.startswith("gymkernel"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Refuse())
for path in sorted(pathlib.Path({str(tmp_path)!r}).glob("*.zip")):
    n_envs = PPO.load(path, device="cpu").n_envs
    envs = gymnasium.make("CartPole-v1")
    print(path.stem, PPO.load(path, env=envs, device="cpu").learn(16).num_timesteps, n_envs)
print(any(name.startswith("gymkernel") for name in sys.modules))
"""

    done = run(program)

    assert done.stdout.splitlines() == ["0 16 1", "1 16 2", "2 16 2", "3 16 1", "4 16 1", "False"], done.stderr
