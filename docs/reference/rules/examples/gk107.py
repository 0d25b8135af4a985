"""The action space is unbounded, although step clips the forces to [-1, 1]."""

import numpy as np

from gymkernel import Env
from gymkernel.spaces import Box


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Box(-np.inf, np.inf, (2,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 2)
        return self.observe(), {}

    def observe(self):
        return self.place.astype("float32")

    def step(self, action):
        self.place = self.place + np.clip(action, -1, 1)
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}


class Right(Wrong):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Box(-1.0, 1.0, (2,))
