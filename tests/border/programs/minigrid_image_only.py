"""Wrap a MiniGrid environment in `ImgObsWrapper`, for a policy that needs a Box."""

import gymnasium
import minigrid
from minigrid.wrappers import ImgObsWrapper

import gymkernel as gym

env = ImgObsWrapper(gym.make("MiniGrid-Empty-5x5-v0"))
assert isinstance(env, gymnasium.Env) and isinstance(env, gymnasium.Wrapper)
assert isinstance(env.observation_space, gym.spaces.Box)
assert isinstance(env.observation_space, gymnasium.spaces.Box)
obs, info = env.reset(seed=1)
assert obs.shape == (7, 7, 3)
obs, reward, terminated, truncated, info = env.step(env.unwrapped.actions.forward)
assert obs in env.observation_space
