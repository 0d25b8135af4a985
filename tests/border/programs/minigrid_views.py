"""Apply several MiniGrid wrappers that change the agent's view to one environment."""

import minigrid
import numpy as np
from minigrid.wrappers import FlatObsWrapper, FullyObsWrapper, ImgObsWrapper, OneHotPartialObsWrapper
from minigrid.wrappers import RGBImgObsWrapper, RGBImgPartialObsWrapper, SymbolicObsWrapper, ViewSizeWrapper

import gymkernel as gym

shapes = {
    FullyObsWrapper: (8, 8, 3),
    RGBImgObsWrapper: (64, 64, 3),
    RGBImgPartialObsWrapper: (56, 56, 3),
    OneHotPartialObsWrapper: (7, 7, 20),
    SymbolicObsWrapper: (8, 8, 3),
    ViewSizeWrapper: (7, 7, 3),
}
for wrapper, shape in shapes.items():
    env = ImgObsWrapper(wrapper(gym.make("MiniGrid-Empty-8x8-v0")))
    obs, _ = env.reset(seed=0)
    assert obs.shape == shape, wrapper
    assert env.observation_space.shape == shape, wrapper
env = FlatObsWrapper(gym.make("MiniGrid-Empty-8x8-v0"))
assert env.reset(seed=0)[0].shape == env.observation_space.shape
assert gym.spaces.utils.flatdim(env.observation_space) == np.prod(env.observation_space.shape)
