"""The largest number of `range(6)` is 5, but the last example is 6."""

from gymkernel.spaces import Discrete


class Wrong(Discrete):
    def examples(self):
        yield self.start
        yield self.start + self.n


class Right(Discrete):
    def examples(self):
        yield self.start
        yield self.start + self.n - 1
