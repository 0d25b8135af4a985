"""Tests that simulators created by id behave like those of Gymnasium's `make` for the same seeds."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest

import gymkernel as gym
from gymkernel.envs.registration import EnvSpec

os.environ.setdefault("MUJOCO_GL", "egl")  # gym-aloha's observations are images rendered by MuJoCo
os.environ.setdefault("PYGLET_HEADLESS", "true")
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

IDS = (
    *("LunarLander-v3", "LunarLanderContinuous-v3", "BipedalWalker-v3", "CarRacing-v3"),
    *("Ant-v5", "HalfCheetah-v5", "Humanoid-v5"),
    *("ALE/Pong-v5", "PongNoFrameskip-v4", "Breakout-v4"),
    *("MiniGrid-Empty-5x5-v0", "BabyAI-GoToRedBall-v0"),
    *("highway-v0", "parking-v0", "PandaReach-v3", "deep-sea-treasure-v0", "mo-lunar-lander-v3", "AntMaze_UMaze-v5"),
    *("FlappyBird-v0", "gym_pusht/PushT-v0", "gym_aloha/AlohaInsertion-v0", "MiniWorld-Hallway-v0"),
    *("popgym-RepeatPreviousEasy-v0", "stocks-v0", "forex-v0", "VizdoomBasic-v1"),
)
FEW = ("LunarLander-v3", "Ant-v5", "ALE/Pong-v5", "MiniGrid-Empty-5x5-v0", "VizdoomBasic-v1")
STEPS = 40
each = pytest.mark.parametrize("env_id", IDS)
few = pytest.mark.parametrize("env_id", FEW)
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # third-party packages emit many warnings


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return bool(np.array_equal(np.asarray(a), np.asarray(b), equal_nan=np.asarray(a).dtype.kind == "f"))


def kept(value: Any) -> Any:
    """Return a copy, because an environment may reuse its arrays."""
    if isinstance(value, dict):
        return {key: kept(item) for key, item in value.items()}
    return value.copy() if isinstance(value, np.ndarray) else value


def trajectory(env: Any) -> list[Any]:
    seen = [kept(env.reset(seed=7)[0])]
    env.action_space.seed(7)  # the reset of some environments replaces the space
    for _ in range(STEPS):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        seen.append((kept(observation), kept(reward), terminated, truncated))
        if terminated or truncated:
            seen.append(kept(env.reset()[0]))
    env.close()
    return seen


def python(code: str) -> str:
    """Run code in a new process, and return the last line that it prints."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip().splitlines()[-1]


@each
def test_trajectory_equals_gymnasiums(env_id: str) -> None:
    ours = gym.make(env_id)

    assert ours.spec is not None
    assert ours.spec.id == env_id
    assert same(trajectory(ours), trajectory(gymnasium.make(env_id)))


@each
def test_spec_recreates_the_environment(env_id: str) -> None:
    spec = gym.spec(env_id)
    theirs = gymnasium.spec(env_id)

    assert same(spec.kwargs, theirs.kwargs)
    assert (spec.entry_point, spec.max_episode_steps) == (theirs.entry_point, theirs.max_episode_steps)
    if all(isinstance(value, str | int | float | list | dict | None) for value in spec.kwargs.values()):  # as in JSON
        assert EnvSpec.from_json(spec.to_json()) == spec
    gym.make(spec).close()


@few
@pytest.mark.parametrize("context", ["fork", "spawn"])
def test_workers_equal_one_process(env_id: str, context: str) -> None:
    wanted, seen = [
        trajectory_of_many(gym.make_vec(env_id, 2, mode, vector_kwargs=options))
        for mode, options in (("sync", None), ("async", {"context": context}))
    ]

    assert same(wanted, seen)


def trajectory_of_many(envs: Any) -> list[Any]:
    envs.action_space.seed(7)
    seen = [kept(envs.reset(seed=7)[0])]
    seen += [[kept(part) for part in envs.step(envs.action_space.sample())[:4]] for _ in range(10)]
    spec = envs.spec
    envs.close()
    gym.make_vec(spec).close()
    return seen


@pytest.mark.parametrize("env_id", ["minigrid:MiniGrid-Empty-5x5-v0", "ale_py:ALE/Pong-v5", "Ant-v5"])
def test_fresh_process_needs_no_import(env_id: str) -> None:
    code = f"import gymkernel; env = gymkernel.make({env_id!r}); env.reset(seed=1); print(env.spec.id)"

    assert python(code) == env_id.rpartition(":")[2]


@pytest.mark.parametrize(
    "env_id, kind, message",
    [
        ("LunarLander-v2", gym.error.DeprecatedEnv, "use `LunarLander-v3`"),
        ("Ant-v99", gym.error.VersionNotFound, "environments: .*`v4`, `v5`"),
        ("parking-v7", gym.error.VersionNotFound, r"It provides versioned environments: \[ `v0` \]$"),
        ("MiniGrid-Emty-5x5-v0", gym.error.NameNotFound, r"Did you mean: `MiniGrid-Empty-5x5`\?"),
        ("ALE/Pnog-v5", gym.error.NameNotFound, r"Did you mean: `Pong`\?"),
        ("Ale/Pong-v5", gym.error.NamespaceNotFound, "Did you mean: `ALE`"),
        ("HalfCheeta-v5", gym.error.NameNotFound, r"Did you mean: `HalfCheetah`\?"),
    ],
)
def test_missing_id_error_is_helpful(env_id: str, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        gym.make(env_id)


@few
@pytest.mark.parametrize(
    "command",
    ["info", "rollout --episodes 1 --max-steps 9", "bench --seconds 0.1 --num-envs 1", "check --fast --steps 9"],
)
def test_commands_accept_the_id(env_id: str, command: str) -> None:
    words = [sys.executable, "-m", "gymkernel", *command.split(), env_id]

    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)

    assert done.returncode == 0, done.stdout + done.stderr
    assert env_id in done.stdout


@pytest.mark.parametrize("env_id", ["LunarLander-v3", "ALE/Pong-v5", "MiniGrid-Empty-5x5-v0"])
def test_render_command_draws_the_environment(tmp_path: Any, env_id: str) -> None:
    out = tmp_path / "first.png"

    subprocess.run([sys.executable, "-m", "gymkernel", "render", "--out", str(out), env_id], check=True)

    assert out.read_bytes().startswith(b"\x89PNG")


@few
def test_list_command_shows_the_id(env_id: str) -> None:
    code = f"from gymkernel.cli import main; import sys; sys.argv[1:] = ['list', {env_id!r}]; main()"

    assert python(code).split() == [env_id, "(gymkernel-bridge-gymnasium", f"{gym.__version__})"]
