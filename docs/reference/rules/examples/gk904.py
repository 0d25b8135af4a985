"""JSON has no tuples, so the recreated environment receives a list, which cannot be a dictionary key."""

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
    def __init__(self, goal=(3, 4)):
        super().__init__()
        self.rewards = {goal: 1.0}


class ListMaze(Walk):
    def __init__(self, goal=(3, 4)):
        super().__init__()
        self.rewards = {tuple(goal): 1.0}


Wrong = functools.partial(gym.make, EnvSpec("Maze-v0", "gk904:Maze", kwargs={"goal": (1, 2)}, order_enforce=False))
Right = functools.partial(gym.make, EnvSpec("Maze-v0", "gk904:ListMaze", kwargs={"goal": (1, 2)}, order_enforce=False))
