"""All infos contain the same list of positions, which keeps growing."""

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
    def reset(self, *, seed=None, options=None):
        self.path = []
        return super().reset(seed=seed, options=options)

    def step(self, action):
        observation, reward, terminated, truncated, _ = super().step(action)
        self.path.append(float(observation[0]))
        return observation, reward, terminated, truncated, {"path": self.path}


class Right(Wrong):
    def step(self, action):
        *rest, info = super().step(action)
        return *rest, {"path": list(info["path"])}
