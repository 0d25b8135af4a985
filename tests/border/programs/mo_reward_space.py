"""Read the space of vector rewards from a single environment and from a vector environment."""

import gymnasium
import mo_gymnasium
import numpy as np

import gymkernel as gym

for env in (gym.make("deep-sea-treasure-v0"), gym.wrappers.TimeLimit(mo_gymnasium.make("minecart-v0"), 20)):
    space = env.unwrapped.reward_space
    assert isinstance(space, gym.spaces.Box) and isinstance(space, gymnasium.spaces.Box)
    env.reset(seed=1)
    assert env.step(env.action_space.sample())[1].shape == space.shape
    weighed = mo_gymnasium.wrappers.LinearReward(env, weight=np.ones(space.shape[0]) / space.shape[0])
    weighed.reset(seed=1)
    assert np.ndim(weighed.step(env.action_space.sample())[1]) == 0
envs = mo_gymnasium.wrappers.vector.MOSyncVectorEnv([lambda: gym.make("deep-sea-treasure-v0")] * 3)
envs.reset(seed=1)
assert envs.step(envs.action_space.sample())[1].shape == (3, 2)
