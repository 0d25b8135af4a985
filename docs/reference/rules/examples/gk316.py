"""The time limit ends the episode with terminated=True, so the agent learns that it has failed."""

from gymkernel import Env
from gymkernel.spaces import Box, Discrete


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Discrete(2)
        self.max_steps = 20

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time = 0
        self.place = self.np_random.uniform(-1, 1, 2)
        return self.observe(), {}

    def observe(self):
        return self.place.astype("float32")

    def step(self, action):
        self.time += 1
        self.place = self.place + (0.1 if action else -0.1)
        return self.observe(), 1.0, self.time >= self.max_steps, False, {}


class Right(Wrong):
    def step(self, action):
        self.time += 1
        self.place = self.place + (0.1 if action else -0.1)
        return self.observe(), 1.0, False, self.time >= self.max_steps, {}
