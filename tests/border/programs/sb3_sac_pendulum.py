"""Train SAC on continuous actions, and TD3 with action noise."""

import numpy as np
from stable_baselines3 import SAC, TD3
from stable_baselines3.common.noise import NormalActionNoise

import gymkernel as gym

env = gym.make("Pendulum-v1", g=9.81)
model = SAC("MlpPolicy", env, learning_starts=20, batch_size=16, buffer_size=500)
model.learn(60)
assert np.isfinite(model.logger.name_to_value["train/actor_loss"])

n_actions = env.action_space.shape[-1]
noise = NormalActionNoise(mean=np.zeros(n_actions), sigma=0.1 * np.ones(n_actions))
model = TD3("MlpPolicy", env, action_noise=noise, learning_starts=20, batch_size=16, buffer_size=500).learn(40)
action, _ = model.predict(env.reset(seed=0)[0])
assert action.shape == (1,)
assert action in env.action_space
