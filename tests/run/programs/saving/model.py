"""Save a model of Stable-Baselines3, or load it: `python model.py save` or `python model.py load`."""

import sys

import gymnasium as gym
import numpy as np
from stable_baselines3 import PPO, SAC
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecNormalize

if sys.argv[1] == "save":
    envs = VecNormalize(make_vec_env("CartPole-v1", 2, seed=1))
    ppo = PPO("MlpPolicy", envs, seed=1, n_steps=32, device="cpu").learn(64)
    ppo.save("ppo")
    envs.save("normalize")
    sac = SAC("MlpPolicy", "Pendulum-v1", seed=1, learning_starts=10, device="cpu").learn(30)
    sac.save("sac")
    sac.save_replay_buffer("buffer")
else:
    envs = VecNormalize.load("normalize", make_vec_env("CartPole-v1", 2, seed=1))
    ppo = PPO.load("ppo", env=envs, device="cpu")
    sac = SAC.load("sac", env=gym.make("Pendulum-v1"))
    sac.load_replay_buffer("buffer")
    assert type(ppo.observation_space) is gym.spaces.Box
    assert type(ppo.action_space) is gym.spaces.Discrete
print(ppo.predict(np.ones((1, 4), np.float32), deterministic=True)[0].tolist())
print(sac.predict(np.ones(3, np.float32), deterministic=True)[0].tolist())
print(sac.replay_buffer.observations.sum(), sac.replay_buffer.observation_space, envs.obs_rms.mean.tolist())
