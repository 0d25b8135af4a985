"""Wrap our environments in Gymnasium's wrappers for JAX and for the array API."""

import jax.numpy as jnp
import numpy as np
import torch
from gymnasium.wrappers import ArrayConversion, JaxToNumpy, JaxToTorch

import gymkernel as gym


class Counter(gym.Env):
    observation_space = gym.spaces.Box(0, 100, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return jnp.zeros(2), {}

    def step(self, action):
        assert isinstance(action, jnp.ndarray) or isinstance(action, int)
        return jnp.ones(2), 1.0, False, False, {}


env = JaxToNumpy(Counter())
assert isinstance(env.reset(seed=1)[0], np.ndarray)
assert isinstance(env.step(1)[0], np.ndarray)
env = JaxToTorch(Counter())
assert isinstance(env.reset(seed=1)[0], torch.Tensor)
env = ArrayConversion(gym.make("CartPole-v1"), env_xp=np, target_xp=torch)
assert isinstance(env.reset(seed=1)[0], torch.Tensor)
