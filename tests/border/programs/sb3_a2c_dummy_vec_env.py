"""Train A2C on a DummyVecEnv with three environments."""

import numpy as np
from stable_baselines3 import A2C
from stable_baselines3.common.vec_env import DummyVecEnv

import gymkernel

envs = DummyVecEnv([lambda: gymkernel.make("Acrobot-v1") for _ in range(3)])
model = A2C("MlpPolicy", envs, n_steps=8, seed=0).learn(240)
assert model.num_timesteps == 240
assert envs.observation_space == gymkernel.spaces.Box(
    np.array([-1, -1, -1, -1, -4 * np.pi, -9 * np.pi], np.float32),
    np.array([1, 1, 1, 1, 4 * np.pi, 9 * np.pi], np.float32),
)
assert envs.step(np.array([0, 1, 2]))[0].shape == (3, 6)
assert envs.env_method("get_wrapper_attr", "spec")[0].id == "Acrobot-v1"
envs.close()
