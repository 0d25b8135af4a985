"""reset searches for a start position that does not exist for some seeds, so it never returns."""

from gymkernel import Env
from gymkernel.spaces import Box, Discrete


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        bound = self.np_random.uniform(-0.02, 0.5)
        self.place = self.np_random.uniform(0, 1, 2)
        while self.place[0] > bound:
            self.place = self.np_random.uniform(0, 1, 2)
        return self.observe(), {}

    def observe(self):
        return self.place.astype("float32")

    def step(self, action):
        self.place = self.place + (0.5 if action else -0.5)
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}


class Right(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        bound = self.np_random.uniform(0.1, 0.5)
        self.place = self.np_random.uniform(0, [bound, 1])
        return self.observe(), {}

    def observe(self):
        return self.place.astype("float32")

    def step(self, action):
        self.place = self.place + (0.5 if action else -0.5)
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}
