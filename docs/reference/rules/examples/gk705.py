"""`seed()` returns None instead of the seed, so nobody can get the same samples again."""

from gymkernel.spaces import Discrete


class Wrong(Discrete):
    def seed(self, seed=None):
        super().seed(seed)


class Right(Discrete):
    def seed(self, seed=None):
        return super().seed(seed)
