"""Tests that a program prints the same output if its only import is changed from `gymnasium` to `gymkernel`."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = '''
import {library} as gym
import numpy as np
from {library} import spaces
from {library}.spaces import Box, Discrete
from {library}.spaces.utils import flatdim, flatten, unflatten
from {library}.utils import seeding
from {library}.vector import AutoresetMode, SyncVectorEnv
from {library}.wrappers import TimeLimit


class Corridor(gym.Env):
    """Walk to the right end."""

    metadata = {{"render_modes": ["ansi"], "render_fps": 4}}

    def __init__(self, length=6, render_mode=None):
        self.length, self.render_mode = length, render_mode
        self.observation_space = Box(0, length, shape=(1,), dtype=np.int64)
        self.action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at = int(self.np_random.integers(0, 3))
        return np.array([self.at]), {{"start": self.at}}

    def step(self, action):
        self.at = max(0, self.at + (1 if action else -1))
        done = self.at >= self.length
        return np.array([self.at]), float(done), done, False, {{"at": self.at}}

    def render(self):
        return "." * self.at + "o" + "." * (self.length - self.at)


class Half(gym.RewardWrapper):
    def reward(self, reward):
        return reward / 2


class Parity(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        self.observation_space = Discrete(2)

    def observation(self, observation):
        return int(observation[0]) % 2


class Flip(gym.ActionWrapper):
    def action(self, action):
        return 1 - action


gym.register(id="lab/Corridor-v0", entry_point=Corridor, max_episode_steps=20, kwargs={{"length": 4}})
env = gym.make("lab/Corridor-v0", render_mode="ansi")
print(env, env.spec.id, env.spec.max_episode_steps, env.unwrapped.length)
observation, info = env.reset(seed=5)
env.action_space.seed(5)
for _ in range(60):
    observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
    if terminated or truncated:
        print(observation, reward, terminated, truncated, info["at"], env.render())
        observation, info = env.reset()
env.close()

env = Flip(Half(Parity(gym.make("lab/Corridor-v0"))))
print(env, env.observation_space, env.action_space)
print(env.reset(seed=1), [env.step(0)[:3] for _ in range(4)])

env = TimeLimit(gym.make("CartPole-v1", max_episode_steps=-1), 30)
observation, info = env.reset(seed=42)
total = 0.0
for step in range(30):
    observation, reward, terminated, truncated, info = env.step(int(observation[2] > 0))
    total += reward
    if terminated or truncated:
        break
print(observation, total, terminated, truncated, step)

space = spaces.Tuple((Box(-1, 1, (2,)), Discrete(3, start=1), spaces.MultiDiscrete([2, 5])))
print(space, space.seed(7), flatdim(space))
value = space.sample()
print(value, flatten(space, value), unflatten(space, flatten(space, value)), value in space)
print(space.to_jsonable([value]), space == spaces.Tuple(space.spaces))

for mode in AutoresetMode:
    envs = SyncVectorEnv([lambda: gym.make("lab/Corridor-v0")] * 3, autoreset_mode=mode)
    observations, infos = envs.reset(seed=3)
    print(envs, envs.observation_space, envs.action_space, observations.tolist(), infos)
    for _ in range(8):
        observations, rewards, terminations, truncations, infos = envs.step(np.array([1, 0, 1]))
        print(observations.tolist(), rewards, terminations, truncations, infos)
        if mode is AutoresetMode.DISABLED and (terminations | truncations).any():
            print(envs.reset(options={{"reset_mask": terminations | truncations}}))
    envs.close()

envs = gym.make_vec("CartPole-v1", num_envs=4, vectorization_mode="vector_entry_point")
observations, infos = envs.reset(seed=1)
returns = np.zeros(4)
for _ in range(100):
    observations, rewards, terminations, truncations, infos = envs.step((observations[:, 2] > 0).astype(np.int64))
    returns += rewards
print(envs, returns, observations)
generator, seed = seeding.np_random(3)
print(generator.random(), seed, gym.spec("CartPole-v0").reward_threshold)
for wrong in ("CartPoll-v1", "lab/Corridor-v3", "nowhere/Maze-v0"):
    try:
        gym.make(wrong)
    except gym.error.UnregisteredEnv as exc:
        print(type(exc).__name__)
'''


def printed(library: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM.format(library=library)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr, done.stderr
    return done.stdout


def test_script_output_is_the_same() -> None:
    ours, theirs = printed("gymkernel"), printed("gymnasium")
    assert len(theirs.splitlines()) > 40
    assert ours.splitlines() == theirs.splitlines()
