"""Train PPO on MiniGrid's flat observations and on its images."""

import minigrid
from minigrid.wrappers import FlatObsWrapper, ImgObsWrapper, RGBImgPartialObsWrapper
from stable_baselines3 import PPO

import gymkernel as gym

model = PPO("MlpPolicy", FlatObsWrapper(gym.make("MiniGrid-Empty-5x5-v0")), n_steps=32, batch_size=32).learn(32)
assert model.num_timesteps == 32
env = ImgObsWrapper(RGBImgPartialObsWrapper(gym.make("MiniGrid-Empty-5x5-v0", render_mode="rgb_array")))
model = PPO("CnnPolicy", env, n_steps=8, batch_size=8, n_epochs=1).learn(8)
assert model.observation_space.shape == (3, 56, 56)
