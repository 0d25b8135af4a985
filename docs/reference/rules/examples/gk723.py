"""A set or a dictionary keeps an equal space twice."""

from gymkernel.spaces import Discrete


class Wrong(Discrete):
    def __hash__(self):
        return id(self)


class Right(Discrete):
    def __hash__(self):
        return hash((int(self.n), int(self.start)))
