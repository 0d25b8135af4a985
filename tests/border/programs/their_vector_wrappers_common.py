"""Wrap the results of our `make_vec` in Gymnasium's common vector wrappers."""

import gymnasium
import gymnasium.wrappers.vector as wv
import numpy as np

import gymkernel as gym

envs = gym.make_vec("CartPole-v1", num_envs=3, vectorization_mode="sync")
assert isinstance(envs, gymnasium.vector.VectorEnv)
envs = wv.RecordEpisodeStatistics(envs)
envs = wv.DictInfoToList(envs)
envs.reset(seed=1)
seen = 0
for _ in range(40):
    obs, rewards, terminated, truncated, infos = envs.step(np.ones(3, np.int64))
    seen += sum("episode" in info for info in infos)
assert len(infos) == 3 and seen >= 9
assert isinstance(envs, gymnasium.vector.VectorWrapper)
assert envs.unwrapped.num_envs == envs.num_envs == 3
