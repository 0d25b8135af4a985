"""Load a saved model with an environment, continue training, and compare predictions."""

import os
import tempfile

import numpy as np
from stable_baselines3 import PPO

import gymkernel

path = os.path.join(tempfile.mkdtemp(), "ppo_cartpole")
env = gymkernel.make("CartPole-v1")
model = PPO("MlpPolicy", env, n_steps=32, batch_size=32).learn(64)
model.save(path)
obs = env.reset(seed=5)[0]
expected = model.predict(obs, deterministic=True)[0]
del model
model = PPO.load(path, env=gymkernel.make("CartPole-v1"))
assert model.predict(obs, deterministic=True)[0] == expected
assert model.observation_space == env.observation_space
assert env.observation_space == model.observation_space
model.set_env(gymkernel.make("CartPole-v1"))
model.learn(64, reset_num_timesteps=False)
assert model.num_timesteps == 128
assert np.array_equal(model.observation_space.low, env.observation_space.low)
