"""The space's samples have a different dtype from the space itself."""

from gymkernel import Env
from gymkernel.spaces import Box


class Doubles(Box):
    def sample(self, mask=None, probability=None):
        return super().sample().astype("float64")


class Wrong(Env):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Doubles(-1.0, 1.0, (2,))

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.uniform(-1, 1, 2)
        return self.observe(), {}

    def observe(self):
        return self.place.astype("float32")

    def step(self, action):
        self.place = self.place + action
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}


class Right(Wrong):
    def __init__(self):
        self.observation_space = Box(-10.0, 10.0, (2,))
        self.action_space = Box(-1.0, 1.0, (2,))
