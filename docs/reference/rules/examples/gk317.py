"""A step off the board raises an exception, because no cell exists there."""

import numpy as np

from gymkernel import Env
from gymkernel.spaces import Box, Discrete


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(0.0, 10.0, (1,))
        self.action_space = Discrete(2)
        self.cells = np.arange(5.0, dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(5))
        return self.observe(), {}

    def observe(self):
        return self.cells[[self.place]]

    def step(self, action):
        self.place += 1 if action else -1
        return self.observe(), 1.0, False, False, {}


class Right(Wrong):
    def step(self, action):
        self.place = min(max(self.place + (1 if action else -1), 0), 4)
        return self.observe(), 1.0, False, False, {}
