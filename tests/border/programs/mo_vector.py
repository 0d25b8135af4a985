"""Step environments that our `make` creates in MO-Gymnasium's vector environment."""

import gymnasium
import mo_gymnasium
import numpy as np
from mo_gymnasium.wrappers.vector import MOSyncVectorEnv

import gymkernel as gym

envs = MOSyncVectorEnv([lambda: gym.make("deep-sea-treasure-v0") for _ in range(4)])
assert isinstance(envs, gymnasium.vector.VectorEnv)
assert envs.reward_space.shape == (2,)
obs, infos = envs.reset(seed=1)
obs, rewards, terminateds, truncateds, infos = envs.step(np.array([0, 1, 2, 3]))
assert obs.shape == (4, 2)
assert rewards.shape == (4, 2)
assert isinstance(envs.single_action_space, gym.spaces.Discrete)
envs.close()
