"""The generator is a class attribute, so a second instance uses up random numbers of the first."""

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
    noise = np.random.default_rng(0)

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.noise.bit_generator.state = np.random.default_rng(seed).bit_generator.state
        return super().reset(seed=seed, options=options)

    def step(self, action):
        observation, _, terminated, truncated, info = super().step(action)
        return observation, float(self.noise.normal()), terminated, truncated, info


class Right(Walk):
    def step(self, action):
        observation, _, terminated, truncated, info = super().step(action)
        return observation, float(self.np_random.normal()), terminated, truncated, info
