"""Comparing a number with a string raises a TypeError instead of returning False."""

from gymkernel import Space


class Wrong(Space):
    def sample(self, mask=None, probability=None):
        return int(self.np_random.integers(6))

    def contains(self, x):
        return 0 <= x < 6


class Right(Wrong):
    def contains(self, x):
        return isinstance(x, int) and 0 <= x < 6
