"""Train PPO on an environment, as the first lines of most tutorials do."""

import numpy as np
from stable_baselines3 import PPO

import gymkernel as gym

env = gym.make("CartPole-v1")
model = PPO("MlpPolicy", env, n_steps=64, batch_size=32, seed=1)
model.learn(total_timesteps=256)
vec_env = model.get_env()
obs = vec_env.reset()
for _ in range(20):
    action, _states = model.predict(obs, deterministic=True)
    obs, rewards, dones, infos = vec_env.step(action)
assert model.num_timesteps == 256
assert obs.shape == (1, 4)
assert rewards.shape == dones.shape == (1,)
assert np.isfinite(model.logger.name_to_value["train/loss"])
