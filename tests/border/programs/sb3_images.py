"""Train a CnnPolicy on images. SB3 moves the channel axis to the front."""

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecFrameStack, is_vecenv_wrapped, VecTransposeImage

import gymkernel as gym


class Pictures(gym.Env):
    observation_space = gym.spaces.Box(0, 255, (40, 40, 3), np.uint8)
    action_space = gym.spaces.Discrete(2)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 1.0, False, True, {}


model = PPO("CnnPolicy", Pictures(), n_steps=8, batch_size=8, n_epochs=1).learn(8)
assert model.observation_space.shape == (3, 40, 40)
assert is_vecenv_wrapped(model.get_env(), VecTransposeImage)
stacked = VecFrameStack(DummyVecEnv([Pictures]), n_stack=4)
assert stacked.reset().shape == (1, 40, 40, 12)
