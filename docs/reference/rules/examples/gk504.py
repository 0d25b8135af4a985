"""The effect of an action depends on the order of a set of strings, which differs between processes."""

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
        moves = list({"west", "east", "north", "south", "up", "down"})
        self.place = self.place + (0.1, -0.1)[action] * len(moves[0]) * (1 + moves.index("west"))
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}


class Right(Wrong):
    def step(self, action):
        moves = sorted({"west", "east", "north", "south", "up", "down"})
        self.place = self.place + (0.1, -0.1)[action] * len(moves[0]) * (1 + moves.index("west"))
        return self.observe(), 1.0, bool(abs(self.place[0]) > 5), False, {}
