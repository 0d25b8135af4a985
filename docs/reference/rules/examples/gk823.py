"""Closing one window shuts down the drawing library for all windows."""

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


class Canvas:
    """A canvas that exists only once per process."""

    is_open = False


class Wrong(Walk):
    def render(self):
        if not hasattr(self, "canvas"):
            self.canvas = Canvas
            Canvas.is_open = True
        if not Canvas.is_open:
            raise RuntimeError("video system not initialized")
        return super().render()

    def close(self):
        Canvas.is_open = False


class Right(Walk):
    def close(self):
        self.place = np.zeros(1, np.float32)
