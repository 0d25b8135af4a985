"""reset does not seed the second generator, which produces the noise."""

import numpy as np

from gymkernel import Env
from gymkernel.spaces import Box, Discrete


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Discrete(2)
        self.noise = np.random.default_rng()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 2)
        return self.observe(), {}

    def observe(self):
        return self.place.astype("float32")

    def step(self, action):
        self.place = self.place + (0.5 if action else -0.5) + self.noise.normal(0, 0.1)
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}


class Right(Wrong):
    def step(self, action):
        self.place = self.place + (0.5 if action else -0.5) + self.np_random.normal(0, 0.1)
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}
