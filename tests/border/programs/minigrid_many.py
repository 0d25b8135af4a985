"""Make MiniGrid vector environments, with the wrappers that are registered with the id."""

import minigrid
import numpy as np
from minigrid.wrappers import ImgObsWrapper, RGBImgObsWrapper

import gymkernel as gym

envs = gym.make_vec("MiniGrid-Empty-5x5-v0", num_envs=3, vectorization_mode="sync", wrappers=[ImgObsWrapper])
obs, _ = envs.reset(seed=1)
assert obs.shape == (3, 7, 7, 3)
obs, rewards, terminated, truncated, infos = envs.step(np.array([0, 1, 2]))
assert rewards.shape == (3,)
envs.close()
envs = gym.vector.AsyncVectorEnv([lambda: ImgObsWrapper(RGBImgObsWrapper(gym.make("MiniGrid-Empty-5x5-v0")))] * 2)
assert envs.reset(seed=1)[0].shape == (2, 40, 40, 3)
assert isinstance(envs.single_action_space, gym.spaces.Discrete)
envs.close()
