"""Step Gymnasium's environments in our vector environments, with vector wrappers of both libraries outside."""

import gymnasium
import numpy as np

import gymkernel as gym


def make():
    return gymnasium.make("Acrobot-v1")


if __name__ == "__main__":
    for vector in (gym.vector.SyncVectorEnv, gym.vector.AsyncVectorEnv):
        envs = vector([make] * 2, autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP)
        assert isinstance(envs, gymnasium.vector.VectorEnv)
        assert envs.single_action_space == gym.spaces.Discrete(3)
        assert gym.spaces.Discrete(3) == envs.single_action_space
        assert isinstance(envs.single_action_space, gym.spaces.Discrete)
        assert envs.metadata["autoreset_mode"] == gymnasium.vector.AutoresetMode.SAME_STEP
        envs = gym.wrappers.vector.ClipReward(envs, -1, 1)
        envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
        obs, _ = envs.reset(seed=1)
        obs, rewards, *_ = envs.step(np.array([0, 2]))
        assert obs.shape == (2, 6) and rewards.tolist() == [-1, -1]
        envs.close()
