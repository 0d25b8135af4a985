"""Build the wrappers of CleanRL's PPO for continuous actions, with a lambda that clips observations."""

import numpy as np
import torch
from torch.distributions.normal import Normal

import gymkernel as gym


def make_env(env_id, gamma):
    def thunk():
        env = gym.make(env_id, render_mode="rgb_array")
        env = gym.wrappers.FlattenObservation(env)  # deal with dm_control's Dict observation space
        env = gym.wrappers.RecordEpisodeStatistics(env)
        env = gym.wrappers.ClipAction(env)
        env = gym.wrappers.NormalizeObservation(env)
        env = gym.wrappers.TransformObservation(env, lambda obs: np.clip(obs, -10, 10), env.observation_space)
        env = gym.wrappers.NormalizeReward(env, gamma=gamma)
        return gym.wrappers.TransformReward(env, lambda reward: np.clip(reward, -10, 10))

    return thunk


envs = gym.vector.SyncVectorEnv([make_env("Pendulum-v1", 0.99) for _ in range(2)])
assert isinstance(envs.single_action_space, gym.spaces.Box), "only continuous action space is supported"
mean = torch.nn.Linear(np.array(envs.single_observation_space.shape).prod(), np.prod(envs.single_action_space.shape))
next_obs, _ = envs.reset(seed=1)
for _ in range(201):
    action = Normal(mean(torch.Tensor(next_obs)), 5.0).sample()
    next_obs, reward, terminations, truncations, infos = envs.step(action.numpy())
    if "episode" in infos:
        assert (infos["episode"]["l"] == 200).all()
assert np.abs(next_obs).max() <= 10 and np.abs(reward).max() <= 10
