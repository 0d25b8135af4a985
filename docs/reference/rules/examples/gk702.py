"""The largest number of `range(6)` is 5: an example is to be the last element, and not the first that is none."""

from gymkernel.spaces import Discrete


class Wrong(Discrete):
    def examples(self):
        yield self.start
        yield self.start + self.n


class Right(Discrete):
    def examples(self):
        yield self.start
        yield self.start + self.n - 1
