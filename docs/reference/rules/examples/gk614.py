"""Clipping with `out=action` writes into the agent's array."""

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
        self.action_space = Box(-2.0, 2.0, (1,))

    def step(self, action):
        np.clip(action, -1, 1, out=action)
        return super().step(action[0] > 0)


class Right(Wrong):
    def step(self, action):
        action = np.clip(action, -1, 1)
        return Walk.step(self, action[0] > 0)
