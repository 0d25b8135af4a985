"""The action space contains forces up to 1000, so the first actions of a policy are too weak to move anything."""

from gymkernel import Env
from gymkernel.spaces import Box


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Box(-1000.0, 1000.0, (2,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 2)
        return self.observe(), {}

    def observe(self):
        return self.place.astype("float32")

    def step(self, action):
        self.place = self.place + action / 1000
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}


class Right(Wrong):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Box(-1.0, 1.0, (2,))

    def step(self, action):
        self.place = self.place + action
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}
