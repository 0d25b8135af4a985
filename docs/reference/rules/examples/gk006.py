"""The expected defect has been fixed, so the expectation would hide the next defect of the same kind."""

import numpy as np

from gymkernel import Env
from gymkernel.spaces import Box, Discrete


class Wrong(Env):
    gymkernel_expected_failures = {"GK206": "the default seed is 42 until the next version"}

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


class Right(Wrong):
    def reset(self, *, seed=42, options=None):
        return super().reset(seed=seed, options=options)
