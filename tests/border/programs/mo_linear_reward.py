"""Reduce a vector reward to a number with MO-Gymnasium's wrapper."""

import gymnasium
import mo_gymnasium
import numpy as np
from mo_gymnasium.wrappers import LinearReward

import gymkernel as gym

env = gym.make("minecart-v0")
assert isinstance(env, gymnasium.Env)
assert env.unwrapped.reward_space.shape == (3,)
obs, info = env.reset(seed=1)
obs, vector_reward, terminated, truncated, info = env.step(env.action_space.sample())
assert vector_reward.shape == (3,)
env = LinearReward(env, weight=np.array([0.8, 0.2, 0.2]))
env.reset(seed=1)
obs, reward, terminated, truncated, info = env.step(1)
assert np.ndim(reward) == 0
assert np.isclose(reward, info["vector_reward"] @ np.array([0.8, 0.2, 0.2]))
