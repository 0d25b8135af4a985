"""Start a single-file DQN with SB3's replay buffer."""

import numpy as np
import torch
import torch.nn as nn
from stable_baselines3.common.buffers import ReplayBuffer

import gymkernel as gym


class QNetwork(nn.Module):
    def __init__(self, env):
        super().__init__()
        inputs = np.array(env.single_observation_space.shape).prod()
        self.network = nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, env.single_action_space.n))

    def forward(self, x):
        return self.network(x)


envs = gym.vector.SyncVectorEnv([lambda: gym.wrappers.RecordEpisodeStatistics(gym.make("CartPole-v1"))])
assert isinstance(envs.single_action_space, gym.spaces.Discrete), "only discrete action space is supported"
q_network = QNetwork(envs)
rb = ReplayBuffer(500, envs.single_observation_space, envs.single_action_space, "cpu", handle_timeout_termination=False)
obs, _ = envs.reset(seed=1)
for global_step in range(100):
    actions = np.array([envs.single_action_space.sample() for _ in range(envs.num_envs)])
    next_obs, rewards, terminations, truncations, infos = envs.step(actions)
    real_next_obs = next_obs.copy()
    rb.add(obs, real_next_obs, actions, rewards, terminations, infos)
    obs = next_obs
data = rb.sample(32)
loss = torch.nn.functional.mse_loss(q_network(data.observations).gather(1, data.actions), data.rewards)
assert torch.isfinite(loss)
assert rb.size() == 100
