"""Make an environment with MO-Gymnasium and wrap it with our wrappers."""

import gymnasium
import mo_gymnasium as mo_gym
import numpy as np

import gymkernel

env = mo_gym.make("four-room-v0")
env = gymkernel.wrappers.TransformObservation(env, lambda obs: obs.astype(np.float32) / 10, None)
env = gymkernel.wrappers.TimeLimit(env, 7)
assert isinstance(env, gymnasium.Wrapper)
env = mo_gym.wrappers.LinearReward(env)
obs, _ = env.reset(seed=3)
assert obs.dtype == np.float32
steps = 0
truncated = False
while not truncated:
    obs, reward, terminated, truncated, info = env.step(env.action_space.sample())
    steps += 1
assert steps == 7 and info["vector_reward"].shape == (3,)
