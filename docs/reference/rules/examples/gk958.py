"""The simulator responds over a slow connection, so a million steps take half a day."""

import time

import numpy as np

from gymkernel import Env
from gymkernel.spaces import Box, Discrete


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


class Wrong(Walk):
    def step(self, action):
        time.sleep(0.04)
        return super().step(action)


class Right(Walk):
    """Read the slow data once, when the environment is created."""

    def __init__(self):
        super().__init__()
        time.sleep(0.04)
