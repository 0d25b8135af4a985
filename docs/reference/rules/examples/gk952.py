"""Each episode opens a log file, and none of the files is ever closed."""

import os

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
    def __init__(self):
        super().__init__()
        self.logs = []

    def reset(self, *, seed=None, options=None):
        self.logs.append(os.open(os.devnull, os.O_RDONLY))
        return super().reset(seed=seed, options=options)

    def close(self):
        while self.logs:
            os.close(self.logs.pop())


class Right(Wrong):
    def reset(self, *, seed=None, options=None):
        self.close()
        return super().reset(seed=seed, options=options)
