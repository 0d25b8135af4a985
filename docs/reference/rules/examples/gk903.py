"""The pickled data does not contain the generator, so a copy samples different numbers."""

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
    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if key != "_np_random"}


class Right(Walk):
    pass
