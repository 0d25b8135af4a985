"""The wrapper that CleanRL's script for EnvPool writes, with the statistics of both libraries' spaces."""

import envpool
import numpy as np

import gymkernel as gym


class RecordEpisodeStatistics(gym.Wrapper):
    def __init__(self, env):
        super().__init__(env)
        self.num_envs = getattr(env, "num_envs", 1)
        self.episode_returns = None

    def reset(self, **kwargs):
        self.episode_returns = np.zeros(self.num_envs, dtype=np.float32)
        return self.env.reset()

    def step(self, action):
        obs, rewards, terminated, truncated, infos = self.env.step(action)
        self.episode_returns += rewards
        infos["r"] = self.episode_returns.copy()
        self.episode_returns *= 1 - (terminated | truncated)
        return obs, rewards, terminated, truncated, infos


envs = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=3, seed=1)
envs.num_envs = 3
envs.single_action_space = envs.action_space
envs.single_observation_space = envs.observation_space
try:
    envs = RecordEpisodeStatistics(envs)
except AssertionError:  # Gymnasium of 1.0 and later wraps no vector environment here
    envs = gym.wrappers.vector.RecordEpisodeStatistics(envs)
envs.reset()
obs, rewards, terminated, truncated, infos = envs.step(np.array([0, 1, 0]))
assert obs.shape == (3, 4)
