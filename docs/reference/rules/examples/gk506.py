"""The environment samples from the action space, which changes the agent's samples."""

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
        self.warm_up = self.action_space.sample()
        self.place = self.place + (0.5 if action else -0.5)
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}


class Right(Wrong):
    def step(self, action):
        self.warm_up = int(self.np_random.integers(self.action_space.n))
        self.place = self.place + (0.5 if action else -0.5)
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}
