"""The constructor chooses the motor's strength at random, so nobody can create the same environment again."""

import numpy as np

from gymkernel import Env
from gymkernel.spaces import Box, Discrete


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Discrete(2)
        self.power = np.random.default_rng().uniform(0.4, 0.6)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 2)
        return self.observe(), {}

    def observe(self):
        return self.place.astype("float32")

    def step(self, action):
        self.place = self.place + (self.power if action else -self.power)
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}


class Right(Wrong):
    def __init__(self, power=0.5):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Discrete(2)
        self.power = power
