"""The recording is created in `reset`, so `close` fails if `reset` was never called."""

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
        self.recording = []
        return super().reset(seed=seed, options=options)

    def close(self):
        self.recording.clear()


class Right(Walk):
    def __init__(self):
        super().__init__()
        self.recording = []

    def close(self):
        self.recording.clear()
