"""The colours range from 0 to 1, which looks black in a video with values from 0 to 255."""

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
        return super().render() / 255


class Right(Walk):
    def render(self):
        return (255 * Wrong.render(self)).astype(np.uint8)
