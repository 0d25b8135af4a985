"""Tests that programs for Gymnasium's MuJoCo and Box2D environments print the same with `gymkernel run`."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = '''
import pickle
from zlib import crc32

import gymnasium as gym
import numpy as np
from gymnasium import utils
from gymnasium.envs.box2d import BipedalWalker, LunarLander
from gymnasium.envs.mujoco import MujocoEnv
from gymnasium.envs.mujoco.hopper_v5 import HopperEnv
from gymnasium.envs.mujoco.mujoco_env import expand_model_path
from gymnasium.envs.mujoco.mujoco_rendering import MujocoRenderer


class Point(MujocoEnv, utils.EzPickle):
    """An environment of a program, with a model that only Gymnasium has."""

    metadata = {"render_modes": ["human", "rgb_array", "depth_array"], "render_fps": 50}

    def __init__(self, **kwargs):
        utils.EzPickle.__init__(self, **kwargs)
        space = gym.spaces.Box(-np.inf, np.inf, (6,), np.float64)
        super().__init__("point.xml", 1, observation_space=space, **kwargs)

    def step(self, action):
        self.do_simulation(action, self.frame_skip)
        return self.state_vector(), 0.0, False, False, {}

    def reset_model(self):
        self.set_state(self.init_qpos, self.init_qvel + self.np_random.uniform(-1, 1, self.model.nv))
        return self.state_vector()


def play(env):
    checksum = crc32(np.asarray(env.reset(seed=3)[0]).tobytes())
    env.action_space.seed(3)
    for _ in range(60):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        checksum = crc32(np.asarray(observation).tobytes() + np.float64(reward).tobytes(), checksum)
        if terminated or truncated:
            observation, _ = env.reset()
    return checksum


def is_inside(env, cls):
    return isinstance(env.unwrapped, cls)


walkers = gym.make("BipedalWalker-v3"), gym.make("BipedalWalkerHardcore-v3")
print([is_inside(env, BipedalWalker) for env in walkers], [play(env) for env in walkers])
print(is_inside(gym.make("LunarLander-v3"), LunarLander), is_inside(gym.make("Hopper-v5"), HopperEnv))
for name in "Ant", "HalfCheetah", "Hopper", "Humanoid", "HumanoidStandup", "Reacher", "Swimmer", "Walker2d":
    for version in "v4", "v5":
        env = gym.make(f"{name}-{version}")
        print(env.spec.id, is_inside(env, MujocoEnv), type(env.unwrapped.mujoco_renderer) is MujocoRenderer, play(env))
envs = gym.make_vec("HalfCheetah-v5", 2)
print(type(envs).__name__, envs.get_attr("dt"), crc32(envs.reset(seed=1)[0].tobytes()))
print(gym.spec("HalfCheetah-v5"), gym.spec("LunarLander-v3"), gym.spec("CarRacing-v3").to_json())
point = gym.wrappers.TimeLimit(Point(), 40)
print(play(point), play(pickle.loads(pickle.dumps(Point()))), expand_model_path("point.xml").rpartition("/")[2])
try:
    point.step(np.zeros(3))
except ValueError as exc:
    print(str(exc).partition(".")[0])
'''


def _output(folder: Path, *arguments: str) -> str:
    """Run Python with the given arguments, and return its standard output."""
    environment = {**os.environ, "MUJOCO_GL": "disabled", "SDL_VIDEODRIVER": "dummy"}
    command = [sys.executable, "-W", "ignore", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_program_prints_the_same(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")

    theirs, ours = _output(tmp_path, str(program)), _output(tmp_path, "-m", "gymkernel", "run", str(program))

    assert ours.splitlines() == theirs.splitlines()
    assert len(ours.splitlines()) == 22
