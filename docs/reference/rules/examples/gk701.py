"""A die's numbers start at 1, but `sample` also returns 0."""

from gymkernel import Space


class Wrong(Space):
    def sample(self, mask=None, probability=None):
        return int(self.np_random.integers(6))

    def contains(self, x):
        return isinstance(x, int) and 1 <= x <= 6


class Right(Wrong):
    def sample(self, mask=None, probability=None):
        return int(self.np_random.integers(1, 7))
