"""Train MultiInputPolicy on dictionary observations."""

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

import gymkernel as gym
from gymkernel.spaces import Box, Dict, Discrete, MultiBinary


class Room(gym.Env):
    observation_space = Dict({"place": Box(-1, 1, (3,), np.float32), "light": Discrete(4), "doors": MultiBinary(2)})
    action_space = Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.5, False, bool(self.np_random.random() < 0.1), {}


envs = make_vec_env(Room, n_envs=2)
model = PPO("MultiInputPolicy", envs, n_steps=16, batch_size=16).learn(64)
obs = envs.reset()
assert {key: part.shape for key, part in obs.items()} == {"place": (2, 3), "light": (2,), "doors": (2, 2)}
assert model.policy.features_extractor.features_dim == 3 + 4 + 2
