"""Wrap our single environments in SuperSuit's wrappers."""

import gymnasium
import numpy as np
import supersuit

import gymkernel as gym

env = gym.make("MountainCarContinuous-v0")
env = supersuit.clip_actions_v0(env)
env = supersuit.frame_stack_v1(env, 3)
env = supersuit.dtype_v0(env, np.float32)
env = supersuit.frame_skip_v0(env, 2)
assert isinstance(env, gymnasium.Env)
assert isinstance(env.observation_space, gymnasium.spaces.Box)
obs, _ = env.reset(seed=1)
assert obs.shape == (6,)
obs, reward, terminated, truncated, info = env.step(np.array([7.0], np.float32))
assert obs.dtype == np.float32
