"""Step our environments in Tianshou's vector environments, and read their spaces."""

import numpy as np
from tianshou.env import DummyVectorEnv, ShmemVectorEnv, SubprocVectorEnv
from tianshou.utils.space_info import SpaceInfo

import gymkernel

if __name__ == "__main__":
    space = SpaceInfo.from_env(gymkernel.make("CartPole-v1"))
    assert (space.action_info.action_dim, space.observation_info.obs_dim) == (2, 4)
    space = SpaceInfo.from_env(gymkernel.make("Pendulum-v1"))
    assert (space.action_info.action_shape, space.action_info.max_action) == ((1,), 2.0)
    for kind in (DummyVectorEnv, SubprocVectorEnv, ShmemVectorEnv):
        envs = kind([lambda: gymkernel.make("CartPole-v1") for _ in range(3)])
        envs.seed(1)
        obs, infos = envs.reset()
        assert obs.shape == (3, 4)
        obs, rewards, terminated, truncated, infos = envs.step(np.array([0, 1, 0]))
        assert rewards.tolist() == [1, 1, 1]
        assert envs.action_space[0] == gymkernel.spaces.Discrete(2)
        envs.close()
