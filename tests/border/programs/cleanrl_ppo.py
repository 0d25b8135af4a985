"""Start a single-file PPO in which only one import was changed."""

import numpy as np
import torch
from torch.distributions.categorical import Categorical

import gymkernel as gym


def make_env(env_id, idx, capture_video, run_name):
    def thunk():
        env = gym.make(env_id, render_mode="rgb_array") if capture_video and idx == 0 else gym.make(env_id)
        return gym.wrappers.RecordEpisodeStatistics(env)

    return thunk


envs = gym.vector.SyncVectorEnv([make_env("CartPole-v1", i, False, "run") for i in range(4)])
assert isinstance(envs.single_action_space, gym.spaces.Discrete), "only discrete action space is supported"
critic = torch.nn.Linear(np.array(envs.single_observation_space.shape).prod(), 1)
actor = torch.nn.Linear(np.array(envs.single_observation_space.shape).prod(), envs.single_action_space.n)
obs = torch.zeros((32, 4) + envs.single_observation_space.shape)
actions = torch.zeros((32, 4) + envs.single_action_space.shape)
next_obs, _ = envs.reset(seed=1)
returns = []
for step in range(32):
    obs[step] = torch.Tensor(next_obs)
    action = Categorical(logits=actor(obs[step])).sample()
    actions[step] = action
    next_obs, reward, terminations, truncations, infos = envs.step(action.cpu().numpy())
    if "episode" in infos:
        returns += list(infos["episode"]["r"][infos["_episode"]])
assert reward.shape == terminations.shape == truncations.shape == (4,)
assert returns and min(returns) >= 8
assert torch.isfinite(critic(obs).mean())
