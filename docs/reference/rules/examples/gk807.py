"""The snow in the image comes from the same random number generator as the walk."""

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
    def step(self, action):
        observation, _, terminated, truncated, info = super().step(action)
        return observation, float(self.np_random.normal()), terminated, truncated, info

    def render(self):
        frame = super().render()
        frame[self.np_random.integers(32)] = 255
        return frame


class Right(Wrong):
    snow = np.random.default_rng(0)

    def render(self):
        frame = Walk.render(self)
        frame[self.snow.integers(32)] = 255
        return frame
