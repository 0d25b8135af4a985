"""Save and load the statistics of VecNormalize."""

import os
import tempfile

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

import gymkernel as gym

path = os.path.join(tempfile.mkdtemp(), "vec_normalize.pkl")
envs = VecNormalize(DummyVecEnv([lambda: gym.make("Pendulum-v1")]), norm_obs=True, norm_reward=True, clip_obs=10.0)
PPO("MlpPolicy", envs, n_steps=64, batch_size=64).learn(128)
envs.save(path)
again = VecNormalize.load(path, DummyVecEnv([lambda: gym.make("Pendulum-v1")]))
again.training = again.norm_reward = False
assert np.allclose(again.obs_rms.mean, envs.obs_rms.mean)
assert np.abs(again.reset()).max() <= 10
assert again.observation_space == envs.observation_space
