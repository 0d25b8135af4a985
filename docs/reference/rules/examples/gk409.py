"""Each observation is a view of the price table, so scaling one observation in place changes the next ones."""

import numpy as np

from gymkernel import Env
from gymkernel.spaces import Box, Discrete


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(-1e6, 1e6, (4,), np.float64)
        self.action_space = Discrete(2)
        self.prices = np.cumsum(np.random.default_rng(1).normal(size=50))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.now = int(self.np_random.integers(4, 30))
        return self.observe(), {}

    def observe(self):
        return self.prices[self.now - 4 : self.now]

    def step(self, action):
        self.now += 1
        gain = float(self.prices[self.now - 1] - self.prices[self.now - 2])
        return self.observe(), gain if action else 0.0, self.now == 50, False, {}


class Right(Wrong):
    def observe(self):
        return self.prices[self.now - 4 : self.now].copy()
