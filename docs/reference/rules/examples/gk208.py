"""The generator is created from the first seed, and all later seeds are ignored."""

import numpy as np

from gymkernel import Env
from gymkernel.spaces import Box, Discrete


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Discrete(2)
        self.generator = None

    def reset(self, *, seed=None, options=None):
        if self.generator is None:
            self.generator = np.random.default_rng(seed)
        self.place = self.generator.uniform(-1, 1, 2)
        return self.observe(), {}

    def observe(self):
        return self.place.astype("float32")

    def step(self, action):
        self.place = self.place + (0.5 if action else -0.5)
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}


class Right(Wrong):
    def reset(self, *, seed=None, options=None):
        if seed is not None or self.generator is None:
            self.generator = np.random.default_rng(seed)
        self.place = self.generator.uniform(-1, 1, 2)
        return self.observe(), {}
