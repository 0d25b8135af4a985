"""Each step computes a sum over all previous steps."""

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
    total = 0

    def step(self, action):
        self.total += 1
        observation, _, terminated, truncated, info = super().step(action)
        mean = sum(abs(k % 7 - 3) for k in range(self.total)) / self.total
        return observation, mean, terminated, truncated, info

    def reset(self, *, seed=None, options=None):
        self.total = self.total if seed is None else 0
        return super().reset(seed=seed, options=options)


class Right(Walk):
    """A walk that computes the same mean from a running sum."""

    total = sum = 0

    def step(self, action):
        observation, _, terminated, truncated, info = super().step(action)
        self.sum += abs(self.total % 7 - 3)
        self.total += 1
        return observation, self.sum / self.total, terminated, truncated, info

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.total = self.sum = 0
        return super().reset(seed=seed, options=options)
