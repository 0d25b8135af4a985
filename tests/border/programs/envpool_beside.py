"""Use EnvPool's environments and ours in one program."""

import envpool
import gymnasium
import numpy as np

import gymkernel as gym

pool = envpool.make("CartPole-v1", env_type="gymnasium", num_envs=4, seed=1)
ours = gym.make_vec("CartPole-v1", num_envs=4, vectorization_mode="sync")
assert pool.action_space == ours.single_action_space
assert ours.single_action_space == pool.action_space
assert pool.observation_space.shape == ours.single_observation_space.shape
for envs in (pool, ours):
    obs, info = envs.reset()
    obs, rewards, terminated, truncated, info = envs.step(np.array([0, 1, 0, 1]))
    assert obs.shape == (4, 4)
    assert rewards.tolist() == [1, 1, 1, 1]
    assert isinstance(envs.observation_space, gymnasium.spaces.Box)
