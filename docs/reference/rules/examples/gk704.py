"""The samples come from the `random` module, which the space's seed does not affect."""

import random

from gymkernel import Space

DICE = random.Random()


class Wrong(Space):
    def sample(self, mask=None, probability=None):
        return DICE.randrange(6)

    def contains(self, x):
        return isinstance(x, int) and 0 <= x < 6


class Right(Wrong):
    def sample(self, mask=None, probability=None):
        return int(self.np_random.integers(6))
