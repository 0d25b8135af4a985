"""`sample` silently ignores masks and probabilities, so the agent acts as if every action were legal."""

from gymkernel import Space


class Wrong(Space):
    def sample(self, mask=None, probability=None):
        return int(self.np_random.integers(6))

    def contains(self, x):
        return isinstance(x, int) and 0 <= x < 6


class Right(Space):
    def draw(self):
        return int(self.np_random.integers(6))

    def contains(self, x):
        return isinstance(x, int) and 0 <= x < 6
