"""Start the workers of SubprocVecEnv with each start method."""

import numpy as np
from stable_baselines3.common.utils import set_random_seed
from stable_baselines3.common.vec_env import SubprocVecEnv

import gymkernel as gym


def make_env(env_id, rank, seed=0):
    def _init():
        env = gym.make(env_id, render_mode="rgb_array")
        env.reset(seed=seed + rank)
        return env

    set_random_seed(seed)
    return _init


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        envs = SubprocVecEnv([make_env("CartPole-v1", i) for i in range(2)], start_method=method)
        obs = envs.reset()
        assert obs.shape == (2, 4)
        assert envs.action_space == gym.spaces.Discrete(2)
        for _ in range(30):
            obs, rewards, dones, infos = envs.step(np.array([0, 1]))
        assert {"TimeLimit.truncated"} <= set(infos[0])
        assert envs.get_images()[0].shape == (400, 600, 3)
        envs.close()
