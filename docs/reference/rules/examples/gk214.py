"""A reset in the middle of an episode, for example at a time limit, raises an exception."""

from gymkernel import Env
from gymkernel.spaces import Box, Discrete


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Discrete(2)
        self.running = False

    def reset(self, *, seed=None, options=None):
        if self.running:
            raise RuntimeError("the episode is not over")
        super().reset(seed=seed)
        self.place, self.running = self.np_random.uniform(-1, 1, 2), True
        return self.observe(), {}

    def observe(self):
        return self.place.astype("float32")

    def step(self, action):
        self.place = self.place + (0.01 if action else -0.01)
        self.running = bool(abs(self.place[0]) < 5)
        return self.observe(), 1.0, not self.running, False, {}


class Right(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.running = self.np_random.uniform(-1, 1, 2), True
        return self.observe(), {}

    def observe(self):
        return self.place.astype("float32")

    def step(self, action):
        self.place = self.place + (0.5 if action else -0.5)
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}
