"""Step several highway-env environments with a wrapper of each library."""

import gymnasium
import highway_env
import numpy as np

import gymkernel as gym


def make():
    env = gym.make("merge-v0")
    env = gym.wrappers.RecordEpisodeStatistics(env)
    return gymnasium.wrappers.FlattenObservation(env)


if __name__ == "__main__":
    for vector in (gym.vector.SyncVectorEnv, gym.vector.AsyncVectorEnv, gymnasium.vector.SyncVectorEnv):
        envs = vector([make, make])
        assert envs.reset(seed=1)[0].shape == (2, 25)
        obs, rewards, *_ = envs.step(np.array([1, 1]))
        assert (rewards > 0).all()
        envs.close()
