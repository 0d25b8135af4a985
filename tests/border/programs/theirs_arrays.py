"""Wrap our environments in Gymnasium's wrappers that convert arrays to torch and back."""

import torch
from gymnasium.wrappers import NumpyToTorch
from gymnasium.wrappers.vector import NumpyToTorch as VectorNumpyToTorch

import gymkernel as gym

env = NumpyToTorch(gym.make("CartPole-v1"))
obs, _ = env.reset(seed=1)
assert isinstance(obs, torch.Tensor)
obs, reward, terminated, truncated, info = env.step(torch.tensor(1))
assert obs.dtype == torch.float32 and reward == 1
envs = VectorNumpyToTorch(gym.make_vec("CartPole-v1", num_envs=3))
obs, _ = envs.reset(seed=1)
assert obs.shape == (3, 4)
obs, reward, terminated, truncated, info = envs.step(torch.tensor([0, 1, 0]))
assert isinstance(terminated, torch.Tensor) and reward.shape == (3,)
