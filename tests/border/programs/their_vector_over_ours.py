"""Step our environments in Gymnasium's vector environments, in every autoreset mode."""

import gymnasium
import numpy as np
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import gymkernel


def make():
    return gymkernel.make("CartPole-v1")


if __name__ == "__main__":
    for mode in AutoresetMode:
        for vector, options in ((SyncVectorEnv, {}), (AsyncVectorEnv, {}), (AsyncVectorEnv, {"shared_memory": False})):
            envs = vector([make] * 2, autoreset_mode=mode, **options)
            assert isinstance(envs, gymnasium.vector.VectorEnv)
            assert envs.single_observation_space == make().observation_space
            obs, infos = envs.reset(seed=[1, 2])
            for _ in range(8 if mode == AutoresetMode.DISABLED else 30):
                obs, rewards, terminated, truncated, infos = envs.step(np.array([0, 1]))
            assert obs.shape == (2, 4)
            assert envs.metadata["autoreset_mode"] == mode
            envs.close()
