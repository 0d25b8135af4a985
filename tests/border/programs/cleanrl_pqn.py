"""Start a single-file PQN: several environments, epsilon-greedy actions, no replay buffer."""

import random

import numpy as np
import torch

import gymkernel as gym

random.seed(1)


def make_env(env_id, seed, idx):
    def thunk():
        env = gym.make(env_id)
        env = gym.wrappers.RecordEpisodeStatistics(env)
        env.action_space.seed(seed)
        return env

    return thunk


envs = gym.vector.SyncVectorEnv([make_env("Acrobot-v1", 1 + i, i) for i in range(4)])
assert isinstance(envs.single_action_space, gym.spaces.Discrete), "only discrete action space is supported"
q_network = torch.nn.Linear(np.array(envs.single_observation_space.shape).prod(), envs.single_action_space.n)
next_obs, _ = envs.reset(seed=1)
for step in range(16):
    random_actions = torch.randint(0, envs.single_action_space.n, (envs.num_envs,))
    max_actions = q_network(torch.Tensor(next_obs)).argmax(dim=1)
    explore = torch.rand(envs.num_envs) < 0.5
    action = torch.where(explore, random_actions, max_actions)
    next_obs, reward, terminations, truncations, infos = envs.step(action.numpy())
assert next_obs.shape == (4, 6)
assert (reward == -1).all()
envs.close()
