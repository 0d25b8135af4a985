"""The reward is the logarithm of a distance, which may become 0."""

import numpy as np

from gymkernel import Env
from gymkernel.spaces import Box, Discrete


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 2)
        return self.observe(), {}

    def observe(self):
        return self.place.astype("float32")

    def step(self, action):
        self.place = np.round(self.place + (0.5 if action else -0.5))
        with np.errstate(divide="ignore"):
            reward = -float(np.log(np.abs(self.place[0])))
        return self.observe(), reward, bool(abs(self.place[0]) > 5), False, {}


class Right(Wrong):
    def step(self, action):
        self.place = np.round(self.place + (0.5 if action else -0.5))
        reward = -float(np.log(np.abs(self.place[0]) + 0.1))
        return self.observe(), reward, bool(abs(self.place[0]) > 5), False, {}
