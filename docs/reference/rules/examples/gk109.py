"""The pixels are already between 0 and 1, and the training library divides them by 255 again."""

import numpy as np

from gymkernel import Env
from gymkernel.spaces import Box, Discrete


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(0.0, 1.0, (48, 48, 3))
        self.action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 2)
        return self.observe(), {}

    def observe(self):
        picture = np.zeros((48, 48, 3), np.float32)
        picture[int(self.place[0]) + 24, int(self.place[1]) + 24] = 1.0
        return picture

    def step(self, action):
        self.place = self.place + (0.5 if action else -0.5)
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}


class Right(Wrong):
    def __init__(self):
        self.observation_space = Box(0, 255, (48, 48, 3), np.uint8)
        self.action_space = Discrete(2)

    def observe(self):
        picture = np.zeros((48, 48, 3), np.uint8)
        picture[int(self.place[0]) + 24, int(self.place[1]) + 24] = 255
        return picture
