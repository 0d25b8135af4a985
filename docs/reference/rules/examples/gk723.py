"""Equal spaces have different hashes, so a set or a dictionary stores both."""

from gymkernel.spaces import Discrete


class Wrong(Discrete):
    def __hash__(self):
        return id(self)


class Right(Discrete):
    def __hash__(self):
        return hash((int(self.n), int(self.start)))
