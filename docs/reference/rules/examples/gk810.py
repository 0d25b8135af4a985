"""The image grows with the walk, but a video encoder needs frames of the same size."""

import numpy as np

from gymkernel import Env
from gymkernel.spaces import Box, Discrete


class Walk(Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}

    def __init__(self, render_mode=None):
        self.observation_space = Box(-10.0, 10.0, (1,))
        self.action_space = Discrete(2)
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 1).astype("float32")
        return self.place, {}

    def step(self, action):
        self.place = self.place + np.float32(2 * int(action) - 1)
        return self.place, 0.0, bool(abs(self.place[0]) > 5), False, {}

    def render(self):
        frame = np.zeros((32, 64, 3), np.uint8)
        frame[:, int(32 + self.place[0]) % 64] = 255
        return frame


class Wrong(Walk):
    def render(self):
        width = 8 + int(abs(self.place[0]))
        return np.zeros((8, width, 3), np.uint8)


class Right(Walk):
    def render(self):
        return np.zeros((8, 16, 3), np.uint8)
