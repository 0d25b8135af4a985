"""Pass a user's environment class to an RLlib env runner, as RLlib's guide does."""

import logging

import numpy as np
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

import gymkernel as gym


class Corridor(gym.Env):
    def __init__(self, config=None):
        self.end = (config or {}).get("length", 5)
        self.action_space = gym.spaces.Discrete(2)
        self.observation_space = gym.spaces.Box(0.0, self.end, shape=(1,), dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        self.place = 0
        return np.array([self.place], np.float32), {"env_state": "reset"}

    def step(self, action):
        self.place = max(self.place + (1 if action else -1), 0)
        done = self.place >= self.end
        return np.array([self.place], np.float32), 1.0 if done else -0.01, done, False, {}


ray.init(num_cpus=1, include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
config = PPOConfig().environment(Corridor, env_config={"length": 3}).env_runners(num_env_runners=0)
runner = SingleAgentEnvRunner(config=config)
episodes = runner.sample(num_episodes=2, random_actions=True)
assert len(episodes) == 2
assert all(episode.is_terminated and len(episode) >= 3 for episode in episodes)
ray.shutdown()
