"""Check and train on a user's environment, as SB3's guide does."""

import numpy as np
from stable_baselines3 import A2C
from stable_baselines3.common.env_checker import check_env

import gymkernel as gym
from gymkernel import spaces


class GoLeft(gym.Env):
    metadata = {"render_modes": ["console"]}

    def __init__(self, size=10, render_mode="console"):
        super().__init__()
        self.render_mode, self.size, self.place = render_mode, size, size - 1
        self.action_space = spaces.Discrete(2)
        self.observation_space = spaces.Box(low=0, high=size, shape=(1,), dtype=np.float32)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed, options=options)
        self.place = self.size - 1
        return np.array([self.place], np.float32), {}

    def step(self, action):
        self.place = int(np.clip(self.place + (1 if action else -1), 0, self.size))
        return np.array([self.place], np.float32), float(self.place == 0), bool(self.place == 0), False, {}

    def render(self):
        print("." * self.place + "x")


env = GoLeft()
check_env(env, warn=True)
model = A2C("MlpPolicy", env).learn(100)
assert model.num_timesteps == 100
assert model.get_env().envs[0].unwrapped is env
