"""A direction is divided by its length, which may be 0."""

import numpy as np

from gymkernel import Env
from gymkernel.spaces import Box


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Box(-1.0, 1.0, (2,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 2)
        return self.observe(), {}

    def observe(self):
        return self.place.astype("float32")

    def step(self, action):
        with np.errstate(invalid="ignore"):
            self.place = np.clip(self.place + action / np.linalg.norm(action), -10, 10)
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}


class Right(Wrong):
    def step(self, action):
        self.place = np.clip(self.place + action / max(np.linalg.norm(action), 1e-6), -10, 10)
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}
