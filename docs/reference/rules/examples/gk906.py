"""The constructor removes the level from the dictionary that the spec stores."""

import functools

import numpy as np

import gymkernel as gym
from gymkernel import Env
from gymkernel.spaces import Box, Discrete
from gymkernel.specs import EnvSpec


class Walk(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (1,))
        self.action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 1).astype("float32")
        return self.place, {}

    def step(self, action):
        self.place = self.place + np.float32(2 * int(action) - 1)
        return self.place, 0.0, bool(abs(self.place[0]) > 5), False, {}


class Maze(Walk):
    def __init__(self, config):
        super().__init__()
        self.level = config.pop("level")


class CarefulMaze(Walk):
    def __init__(self, config):
        super().__init__()
        self.level = config["level"]


Wrong = functools.partial(
    gym.make, EnvSpec("Maze-v0", "gk906:Maze", kwargs={"config": {"level": 3}}, order_enforce=False)
)
Right = functools.partial(
    gym.make, EnvSpec("Maze-v0", "gk906:CarefulMaze", kwargs={"config": {"level": 3}}, order_enforce=False)
)
