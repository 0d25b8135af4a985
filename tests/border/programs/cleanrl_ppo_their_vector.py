"""Start a single-file PPO that keeps Gymnasium's vector environment and changes only `make`."""

import gymnasium as gym
import numpy as np

import gymkernel


def make_env(env_id, seed):
    def thunk():
        env = gymkernel.make(env_id)
        env = gym.wrappers.RecordEpisodeStatistics(env)
        env.action_space.seed(seed)
        return env

    return thunk


for vector in (gym.vector.SyncVectorEnv, gym.vector.AsyncVectorEnv):
    envs = vector([make_env("CartPole-v1", 1 + i) for i in range(3)])
    assert isinstance(envs.single_action_space, gym.spaces.Discrete)
    assert isinstance(envs.single_observation_space, gym.spaces.Box)
    assert envs.action_space == gym.spaces.MultiDiscrete([2, 2, 2])
    next_obs, _ = envs.reset(seed=1)
    lengths = []
    for _ in range(60):
        next_obs, reward, terminations, truncations, infos = envs.step(np.ones(3, np.int64))
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
    assert next_obs.shape == (3, 4) and next_obs.dtype == np.float32
    assert len(lengths) >= 12
    envs.close()
